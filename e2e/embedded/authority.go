package embedded

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// lifetime of the certificates, longer than any cluster of this backend.
const lifetime = 365 * 24 * time.Hour

// authority is the CA of one cluster: of its servers, of its clients and of etcd.
// Its key is kept in memory only.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte // the certificate
}

// keyPair is a certificate with its key, both in PEM.
type keyPair struct{ cert, key []byte }

// identity is who a certificate says its holder is. The name and the groups
// are those that the API server gives a client.
type identity struct {
	name   string
	groups []string
	hosts  []string // names and addresses of a server; none for a mere client
}

func newAuthority(now time.Time) (*authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	template := template(identity{name: "simcloud-ca"}, now)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage |= x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("create the cluster's CA: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("create the cluster's CA: %w", err)
	}
	return &authority{cert: cert, key: key, pem: certificatePEM(der)}, nil
}

// issue makes a key and a certificate for it.
func (a *authority) issue(id identity, now time.Time) (keyPair, error) {
	key, err := newKey()
	if err != nil {
		return keyPair{}, err
	}
	template := template(id, now)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if len(id.hosts) > 0 {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return keyPair{}, fmt.Errorf("create the certificate of %s: %w", id.name, err)
	}
	keyPEM, err := privateKeyPEM(key)
	return keyPair{cert: certificatePEM(der), key: keyPEM}, err
}

func template(id identity, now time.Time) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)) // crypto/rand does not fail
	t := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: id.name, Organization: id.groups},
		NotBefore:    now.Add(-time.Minute),
		NotAfter:     now.Add(lifetime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
	for _, host := range id.hosts {
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

func certificatePEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func privateKeyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

// publicKeyPEM encodes the public half of key.
func publicKeyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, fmt.Errorf("encode a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}
