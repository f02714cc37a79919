package kind

import (
	"crypto/x509"
	"fmt"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/pki"
)

// lifetime of the certificates, longer than any cluster of this backend.
const lifetime = 365 * 24 * time.Hour

// authority is the cluster's CA. It signs for the kubelets, as whoever runs a
// cloud's machines would, so that none has to ask for a certificate.
type authority struct{ *pki.Authority }

func parseAuthority(certPEM, keyPEM []byte) (authority, error) {
	a, err := pki.Parse(certPEM, keyPEM)
	if err != nil {
		return authority{}, fmt.Errorf("read the cluster's CA: %w", err)
	}
	return authority{a}, nil
}

// kubelet returns a certificate, with its key behind it, by which the API
// server knows the kubelet of a node.
func (a authority) kubelet(node string, now time.Time) ([]byte, error) {
	pair, err := a.client("system:node:"+node, "system:nodes", now)
	return append(pair.Cert, pair.Key...), err
}

// admin returns the certificate and the key of an admin whom every component
// lets in without asking the API server: a CCM has no API server to ask.
func (a authority) admin(now time.Time) (pki.Pair, error) {
	return a.client("kubernetes-super-admin", "system:masters", now)
}

func (a authority) client(name, group string, now time.Time) (pki.Pair, error) {
	return a.Issue(pki.Certificate{
		Name: name, Groups: []string{group}, Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		NotBefore: now.Add(-time.Minute), NotAfter: now.Add(lifetime),
	})
}
