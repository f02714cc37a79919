package kind

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"

	"k8s.io/client-go/util/keyutil"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// lifetime of the certificates, longer than any cluster of this backend.
const lifetime = 365 * 24 * time.Hour

// authority is the cluster's CA. It signs for the kubelets, as whoever runs a
// cloud's machines would, so that none has to ask for a certificate.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
	pem  []byte // the certificate
}

func parseAuthority(certPEM, keyPEM []byte) (*authority, error) {
	block, _ := pem.Decode(certPEM)
	if block == nil {
		return nil, simcloud.Errorf(simcloud.Internal, "backend/kind", "the cluster's CA is no PEM")
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read the cluster's CA: %w", err)
	}
	parsed, err := keyutil.ParsePrivateKeyPEM(keyPEM)
	if err != nil {
		return nil, fmt.Errorf("read the key of the cluster's CA: %w", err)
	}
	key, ok := parsed.(crypto.Signer)
	if !ok {
		return nil, simcloud.Errorf(simcloud.Internal, "backend/kind", "the key of the cluster's CA (%T) cannot sign", parsed)
	}
	return &authority{cert: cert, key: key, pem: certPEM}, nil
}

// kubelet returns a certificate, with its key behind it, by which the API
// server knows the kubelet of a node.
func (a *authority) kubelet(node string, now time.Time) ([]byte, error) {
	cert, key, err := a.client(pkix.Name{CommonName: "system:node:" + node, Organization: []string{"system:nodes"}}, now)
	return append(cert, key...), err
}

// admin returns the certificate and the key of somebody whom every component
// lets in, without asking the API server: a CCM has nobody to ask.
func (a *authority) admin(now time.Time) (cert, key []byte, err error) {
	return a.client(pkix.Name{CommonName: "kubernetes-super-admin", Organization: []string{"system:masters"}}, now)
}

// client returns a certificate of a client, and its key.
func (a *authority) client(who pkix.Name, now time.Time) (certPEM, keyPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key for %s: %w", who.CommonName, err)
	}
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)) // crypto/rand does not fail
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      who,
		NotBefore:    now.Add(-time.Minute), NotAfter: now.Add(lifetime),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, nil, fmt.Errorf("make the certificate of %s: %w", who.CommonName, err)
	}
	raw, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, fmt.Errorf("encode the key of %s: %w", who.CommonName, err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw}), nil
}
