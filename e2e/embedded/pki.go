package embedded

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"time"
)

const adminName = "simcloud-admin"

// identities are those of the control plane. The controller manager is in
// system:masters, since the alternative, one service account for
// each of its controllers, costs seconds at the start.
func identities() map[string]identity {
	local := []string{"127.0.0.1", "localhost"}
	return map[string]identity{
		"etcd":                    {name: "etcd", hosts: local},
		"etcd-client":             {name: "kube-apiserver-etcd-client"},
		"kube-apiserver":          {name: "kube-apiserver", hosts: append(apiServerNames(), local...)},
		"kubelet-client":          {name: "kube-apiserver-kubelet-client", groups: []string{"system:masters"}},
		"admin":                   {name: adminName, groups: []string{"system:masters"}},
		"kube-controller-manager": {name: "system:kube-controller-manager", groups: []string{"system:masters"}, hosts: local},
		"kube-scheduler":          {name: "system:kube-scheduler", hosts: local},
	}
}

// apiServerNames are those that pods know the API server by.
func apiServerNames() []string {
	return []string{
		serviceIP, "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
	}
}

// nodeIdentity is the one that the node authorizer knows; the same
// certificate serves the kubelet's own port.
func nodeIdentity(node string) identity {
	return identity{
		name:   "system:node:" + node,
		groups: []string{"system:nodes"},
		hosts:  []string{"127.0.0.1", "localhost", node},
	}
}

// pki issues certificates and writes them into the cluster's folder.
type pki struct {
	ca    *authority
	dir   layout
	admin keyPair
}

// newPKI makes the CA, the certificates of the control plane, and the key of the service account tokens.
func newPKI(dir layout, now time.Time) (*pki, error) {
	ca, err := newAuthority(now)
	if err != nil {
		return nil, err
	}
	p := &pki{ca: ca, dir: dir}
	if err := writeSecret(dir.file("ca.crt"), ca.pem); err != nil {
		return nil, err
	}
	for file, id := range identities() {
		pair, err := p.issue(file, id, now)
		if err != nil {
			return nil, err
		}
		if file == "admin" {
			p.admin = pair
		}
	}
	return p, p.serviceAccountKey()
}

// issue writes FILE.crt and FILE.key.
func (p *pki) issue(file string, id identity, now time.Time) (keyPair, error) {
	pair, err := p.ca.issue(id, now)
	if err != nil {
		return keyPair{}, err
	}
	if err := writeSecret(p.dir.file(file+".crt"), pair.cert); err != nil {
		return keyPair{}, err
	}
	return pair, writeSecret(p.dir.file(file+".key"), pair.key)
}

func (p *pki) serviceAccountKey() error {
	key, err := newKey()
	if err != nil {
		return err
	}
	private, err := privateKeyPEM(key)
	if err != nil {
		return err
	}
	public, err := publicKeyPEM(key)
	if err != nil {
		return err
	}
	if err := writeSecret(p.dir.file("service-account.key"), private); err != nil {
		return err
	}
	return writeSecret(p.dir.file("service-account.pub"), public)
}

// clientTLS is for this process's own questions to the servers of the cluster.
func (p *pki) clientTLS() (*tls.Config, error) {
	cert, err := tls.X509KeyPair(p.admin.cert, p.admin.key)
	if err != nil {
		return nil, fmt.Errorf("certificate of the admin: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(p.ca.cert)
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, Certificates: []tls.Certificate{cert}}, nil
}

func writeSecret(path string, data []byte) error { return os.WriteFile(path, data, 0o600) }
