package embedded

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

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
