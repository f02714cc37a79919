// Package kubeconfig writes files that give access to a cluster, and other secrets.
package kubeconfig

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Write writes an access to a cluster as a kubeconfig that its
// owner alone can read. Certificates stand in the file, so that it can be copied.
func Write(path, cluster, user string, access *rest.Config) error {
	config, err := build(cluster, user, access)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	raw, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return WriteSecret(path, raw)
}

func build(cluster, user string, access *rest.Config) (*clientcmdapi.Config, error) {
	var files [3][]byte
	for i, pair := range []struct {
		data []byte
		file string
	}{{access.CAData, access.CAFile}, {access.CertData, access.CertFile}, {access.KeyData, access.KeyFile}} {
		files[i] = pair.data
		if len(pair.data) > 0 || pair.file == "" {
			continue
		}
		data, err := os.ReadFile(pair.file)
		if err != nil {
			return nil, err
		}
		files[i] = data
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[cluster] = &clientcmdapi.Cluster{
		Server: access.Host, CertificateAuthorityData: files[0],
		TLSServerName: access.ServerName, InsecureSkipTLSVerify: access.Insecure,
	}
	config.AuthInfos[user] = &clientcmdapi.AuthInfo{
		ClientCertificateData: files[1], ClientKeyData: files[2],
		Token: access.BearerToken, TokenFile: access.BearerTokenFile,
		Username: access.Username, Password: access.Password, Exec: access.ExecProvider,
	}
	config.Contexts[cluster] = &clientcmdapi.Context{Cluster: cluster, AuthInfo: user}
	config.CurrentContext = cluster
	return config, nil
}

// WriteSecret replaces a file at once by one that its owner alone can read:
// who reads it meanwhile sees the old one or the new one.
func WriteSecret(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Close()); err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return os.Rename(temp.Name(), path)
}
