package sim

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/durable"
	"github.com/simcloud-dev/simcloud/simcloud/pki"
)

// How long certificates are good. One of a server is made at each start.
const (
	authorityLifetime = 10 * 365 * 24 * time.Hour
	serverLifetime    = 2 * 365 * 24 * time.Hour
)

// caFile is where the certificate of the authority is.
func caFile(cfg Config, scratch *scratch) string {
	switch {
	case cfg.TLS.CAFile != "":
		return cfg.TLS.CAFile
	case cfg.Data != "":
		return cfg.Data + ".ca.pem"
	default:
		return filepath.Join(scratch.dir, "ca.pem")
	}
}

// ensureAuthority takes up the authority that is at path, or makes one there.
// A certificate without its key is left alone: it is not the cloud's.
func ensureAuthority(path string) (*pki.Authority, error) {
	certificate, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return makeAuthority(path)
	}
	if err := closeKey(path + ".key"); err != nil {
		return nil, err
	}
	key, keyErr := os.ReadFile(path + ".key")
	if err = cmp.Or(err, keyErr); err != nil {
		return nil, unusable(path, err)
	}
	ca, err := pki.Parse(certificate, key)
	if err != nil {
		return nil, unusable(path, err)
	}
	if _, ours := ca.Key.(*ecdsa.PrivateKey); !ours || !ca.Cert.IsCA || time.Now().Add(serverLifetime).After(ca.Cert.NotAfter) {
		return nil, simcloud.Errorf(simcloud.Unavailable, "",
			"the CA file %s holds no CA of simcloud that is good for two years more: name another one, or remove it to have a new CA made", path)
	}
	return ca, nil
}

func unusable(path string, err error) error {
	return simcloud.Errorf(simcloud.Unavailable, "",
		"cannot use the CA file %s: name another one, or remove it to have a new CA made: %w", path, err)
}

// makeAuthority writes the key first: a crash in between leaves nothing that is
// taken for an authority. The key of a former CA is replaced, and not written to.
func makeAuthority(path string) (*pki.Authority, error) {
	ca, err := pki.New(certificate("simcloud CA", authorityLifetime))
	if err != nil {
		return nil, err
	}
	key, err := ca.KeyPEM()
	if err != nil {
		return nil, err
	}
	if err := writePEM(path+".key", key, 0o600); err != nil {
		return nil, err
	}
	return ca, writePEM(path, ca.PEM, 0o644)
}

// closeKey lets only its owner read a key that exists.
func closeKey(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return nil // who reads the key says what is wrong
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return simcloud.Errorf(simcloud.Unavailable, "", "the key %s can be read by others, and cannot be closed to them: %w", path, err)
	}
	return nil
}

func writePEM(path string, raw []byte, mode os.FileMode) error {
	if err := durable.WriteFile(path, raw, mode); err != nil {
		return simcloud.Errorf(simcloud.Unavailable, "", "cannot write the CA file %s: %w", path, err)
	}
	return nil
}

// issue makes a certificate for the address, and the names that lead to it.
func issue(ca *pki.Authority, address net.Addr) (tls.Certificate, error) {
	server := certificate("simcloud", serverLifetime)
	server.Usages = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	server.Hosts = []string{"localhost"}
	if name, err := os.Hostname(); err == nil && name != "localhost" {
		server.Hosts = append(server.Hosts, name)
	}
	for _, ip := range addressesOf(address) {
		server.Hosts = append(server.Hosts, ip.String())
	}
	pair, err := ca.Issue(server)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(pair.Cert, pair.Key)
}

// addressesOf are the addresses that lead to a listener: its own, or all of the machine.
func addressesOf(address net.Addr) []net.IP {
	all := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	at, ok := address.(*net.TCPAddr)
	if !ok {
		return all
	}
	if all = append(all, at.IP); !at.IP.IsUnspecified() {
		return all
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return all
	}
	for _, a := range own {
		if ip, ok := a.(*net.IPNet); ok {
			all = append(all, ip.IP)
		}
	}
	return all
}

// certificate is what all of them have. It is good from an hour ago, for machines whose clocks differ.
func certificate(name string, lifetime time.Duration) pki.Certificate {
	begin := time.Now().Add(-time.Hour)
	return pki.Certificate{Name: name, NotBefore: begin, NotAfter: begin.Add(lifetime)}
}
