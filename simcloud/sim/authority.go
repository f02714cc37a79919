package sim

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// authority signs the certificate of a cloud that has none.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

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
// A certificate without its key is left alone: it is somebody else's.
func ensureAuthority(path string) (authority, error) {
	_, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return makeAuthority(path)
	}
	if err := closeKey(path + ".key"); err != nil {
		return authority{}, err
	}
	pair, err := tls.LoadX509KeyPair(path, path+".key")
	if err != nil {
		return authority{}, simcloud.Errorf(simcloud.Unavailable, "",
			"cannot use the CA file %s: name another one, or remove it to have a new CA made: %w", path, err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA || time.Now().Add(serverLifetime).After(pair.Leaf.NotAfter) {
		return authority{}, simcloud.Errorf(simcloud.Unavailable, "",
			"the CA file %s holds no CA of simcloud that is good for two years more: name another one, or remove it to have a new CA made", path)
	}
	return authority{pair.Leaf, key}, nil
}

// makeAuthority writes the key first: a crash in between leaves nothing that is
// taken for an authority. The key of a former CA is replaced, and not written to.
func makeAuthority(path string) (authority, error) {
	template := certificate("simcloud CA", authorityLifetime)
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, fmt.Errorf("make a CA: %w", err)
	}
	ca := authority{template, key}
	raw, err := ca.sign(template, key)
	if err != nil {
		return authority{}, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return authority{}, fmt.Errorf("make a CA: %w", err)
	}
	if err := writePEM(path+".key", "PRIVATE KEY", secret, 0o600); err != nil {
		return authority{}, err
	}
	if err := writePEM(path, "CERTIFICATE", raw, 0o644); err != nil {
		return authority{}, err
	}
	ca.cert, err = x509.ParseCertificate(raw)
	return ca, err
}

// closeKey lets nobody but its owner read a key that is there.
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

func writePEM(path, kind string, raw []byte, mode os.FileMode) error {
	if err := store.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), mode); err != nil {
		return simcloud.Errorf(simcloud.Unavailable, "", "cannot write the CA file %s: %w", path, err)
	}
	return nil
}

// issue makes a certificate for the address, and the names that lead to it.
func (a authority) issue(address net.Addr) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a certificate: %w", err)
	}
	template := certificate("simcloud", serverLifetime)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames = []string{"localhost"}
	if name, err := os.Hostname(); err == nil && name != "localhost" {
		template.DNSNames = append(template.DNSNames, name)
	}
	template.IPAddresses = addressesOf(address)
	raw, err := a.sign(template, key)
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, err
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

func (a authority) sign(template *x509.Certificate, key *ecdsa.PrivateKey) ([]byte, error) {
	raw, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("sign a certificate: %w", err)
	}
	return raw, nil
}

// certificate is what all of them have. It is good from an hour ago, for machines whose clocks differ.
func certificate(name string, lifetime time.Duration) *x509.Certificate {
	begin := time.Now().Add(-time.Hour)
	serial := make([]byte, 16)
	_, _ = rand.Read(serial) // never fails
	return &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(serial), Subject: pkix.Name{CommonName: name},
		NotBefore: begin, NotAfter: begin.Add(lifetime),
	}
}
