// Package pki makes certificate authorities (CAs) and the certificates that they
// sign, with ECDSA keys on the curve P-256. Where they are kept is up to the caller.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Certificate describes a certificate to sign.
type Certificate struct {
	// Name and Groups identify the holder: a Kubernetes API server takes them for
	// the name and the groups of a client.
	Name   string
	Groups []string
	// Hosts are the DNS names and IP addresses of a server.
	Hosts []string
	// Usages are what the certificate may be used for; an authority's own has none.
	Usages []x509.ExtKeyUsage
	// NotBefore and NotAfter are when the certificate is valid.
	NotBefore, NotAfter time.Time
}

// Pair is a certificate and its private key, both in PEM.
type Pair struct{ Cert, Key []byte }

// Authority is a certificate authority.
type Authority struct {
	// Cert is the authority's own certificate, and PEM the same, encoded.
	Cert *x509.Certificate
	PEM  []byte
	// Key signs. A new authority's key is in memory only, until the caller stores KeyPEM.
	Key crypto.Signer
}

// New makes an authority, whose certificate signs certificates and no other authorities.
func New(c Certificate) (*Authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	template := c.template()
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("create the CA %s: %w", c.Name, err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("create the CA %s: %w", c.Name, err)
	}
	return &Authority{Cert: cert, PEM: encode("CERTIFICATE", der), Key: key}, nil
}

// Parse reads an authority from its certificate and key in PEM, with any kind of key.
func Parse(certPEM, keyPEM []byte) (*Authority, error) {
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, err
	}
	key, ok := pair.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("a key of type %T cannot sign", pair.PrivateKey)
	}
	return &Authority{Cert: pair.Leaf, PEM: certPEM, Key: key}, nil
}

// KeyPEM is the authority's private key, as PKCS #8 in PEM.
func (a *Authority) KeyPEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(a.Key)
	if err != nil {
		return nil, fmt.Errorf("encode a key: %w", err)
	}
	return encode("PRIVATE KEY", der), nil
}

// Issue makes a key and signs a certificate for it.
func (a *Authority) Issue(c Certificate) (Pair, error) {
	key, err := newKey()
	if err != nil {
		return Pair{}, err
	}
	template := c.template()
	template.KeyUsage, template.ExtKeyUsage = x509.KeyUsageDigitalSignature, c.Usages
	der, err := x509.CreateCertificate(rand.Reader, template, a.Cert, key.Public(), a.Key)
	if err != nil {
		return Pair{}, fmt.Errorf("create the certificate of %s: %w", c.Name, err)
	}
	keyPEM, err := privatePEM(key)
	return Pair{Cert: encode("CERTIFICATE", der), Key: keyPEM}, err
}

// NewKey makes a key without a certificate, such as one that signs tokens. Both halves are in PEM.
func NewKey() (private, public []byte, err error) {
	key, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	if private, err = privatePEM(key); err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, fmt.Errorf("encode a key: %w", err)
	}
	return private, encode("PUBLIC KEY", der), nil
}

func (c Certificate) template() *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)) // crypto/rand does not fail
	t := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: c.Name, Organization: c.Groups},
		NotBefore:    c.NotBefore,
		NotAfter:     c.NotAfter,
	}
	for _, host := range c.Hosts {
		if ip := net.ParseIP(host); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, host)
		}
	}
	return t
}

func newKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("create a key: %w", err)
	}
	return key, nil
}

// privatePEM encodes a key as SEC 1, the form that all Kubernetes components read.
func privatePEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode a key: %w", err)
	}
	return encode("EC PRIVATE KEY", der), nil
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
