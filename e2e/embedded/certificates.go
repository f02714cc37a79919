package embedded

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/simcloud-dev/simcloud/simcloud/pki"
)

const adminName = "simcloud-admin"

// lifetime of the certificates, longer than any cluster of this backend.
const lifetime = 365 * 24 * time.Hour

// identity is who a certificate says its holder is. The name and the groups
// are those that the API server gives a client.
type identity struct {
	name   string
	groups []string
	hosts  []string // names and addresses of a server; none for a mere client
}

// certificate is the one of the identity.
func (id identity) certificate(now time.Time) pki.Certificate {
	c := pki.Certificate{
		Name: id.name, Groups: id.groups, Hosts: id.hosts, Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		NotBefore: now.Add(-time.Minute), NotAfter: now.Add(lifetime),
	}
	if len(id.hosts) > 0 {
		c.Usages = append(c.Usages, x509.ExtKeyUsageServerAuth)
	}
	return c
}

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

// certificates are those of one cluster: of its servers, of its clients and of
// etcd, in the cluster's folder. The key of their CA is kept in memory only.
type certificates struct {
	ca    *pki.Authority
	dir   layout
	admin pki.Pair
}

// newCertificates makes the CA, the certificates of the control plane, and the key of the service account tokens.
func newCertificates(dir layout, now time.Time) (*certificates, error) {
	ca, err := pki.New(identity{name: "simcloud-ca"}.certificate(now))
	if err != nil {
		return nil, err
	}
	c := &certificates{ca: ca, dir: dir}
	if err := writeSecret(dir.file("ca.crt"), ca.PEM); err != nil {
		return nil, err
	}
	if err := writeRequestHeaderCA(dir, now); err != nil {
		return nil, err
	}
	for file, id := range identities() {
		pair, err := c.issue(file, id, now)
		if err != nil {
			return nil, err
		}
		if file == "admin" {
			c.admin = pair
		}
	}
	return c, c.serviceAccountKey()
}

// writeRequestHeaderCA writes the CA of proxies that tell the API server for whom they ask. There are none, so that its
// key is thrown away. But the API server publishes the CA for extension servers, and a CCM is one: without it a CCM logs an
// error every few seconds.
func writeRequestHeaderCA(dir layout, now time.Time) error {
	ca, err := pki.New(identity{name: "simcloud-request-header-ca"}.certificate(now))
	if err != nil {
		return err
	}
	return writeSecret(dir.file("request-header-ca.crt"), ca.PEM)
}

// issue writes FILE.crt and FILE.key.
func (c *certificates) issue(file string, id identity, now time.Time) (pki.Pair, error) {
	pair, err := c.ca.Issue(id.certificate(now))
	if err != nil {
		return pki.Pair{}, err
	}
	if err := writeSecret(c.dir.file(file+".crt"), pair.Cert); err != nil {
		return pki.Pair{}, err
	}
	return pair, writeSecret(c.dir.file(file+".key"), pair.Key)
}

func (c *certificates) serviceAccountKey() error {
	private, public, err := pki.NewKey()
	if err != nil {
		return err
	}
	if err := writeSecret(c.dir.file("service-account.key"), private); err != nil {
		return err
	}
	return writeSecret(c.dir.file("service-account.pub"), public)
}

// clientTLS is for this process's own questions to the servers of the cluster.
func (c *certificates) clientTLS() (*tls.Config, error) {
	cert, err := tls.X509KeyPair(c.admin.Cert, c.admin.Key)
	if err != nil {
		return nil, fmt.Errorf("certificate of the admin: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(c.ca.Cert)
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, Certificates: []tls.Certificate{cert}}, nil
}

func writeSecret(path string, data []byte) error { return os.WriteFile(path, data, 0o600) }

// writeKubeconfig writes FILE.kubeconfig, which names FILE.crt and FILE.key, and returns its path.
func (c *certificates) writeKubeconfig(file, server string) (string, error) {
	const name = "simcloud"
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{Server: server, CertificateAuthority: c.dir.file("ca.crt")}
	config.AuthInfos[name] = &api.AuthInfo{ClientCertificate: c.dir.file(file + ".crt"), ClientKey: c.dir.file(file + ".key")}
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	path := c.dir.file(file + ".kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil { // mode 0600
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	return path, nil
}

// adminConfig is an admin's access: all of it in memory, and not throttled.
func (c *certificates) adminConfig(server string) *rest.Config {
	return &rest.Config{
		Host:  server,
		QPS:   -1,
		Burst: -1,
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   c.ca.PEM,
			CertData: c.admin.Cert,
			KeyData:  c.admin.Key,
		},
	}
}
