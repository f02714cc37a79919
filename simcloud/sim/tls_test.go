package sim_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// TestSelfSigned: clients that trust the CA reach the cloud, after a restart too, and no others do.
func TestSelfSigned(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "cloud.db")
	cfg := sim.Config{Data: data, Token: "s3cret", TLS: sim.TLS{SelfSigned: true}}
	first := open(t, cfg)
	if !strings.HasPrefix(first.URL(), "https://127.0.0.1:") || first.CAFile() != data+".ca.pem" {
		t.Errorf("URL %s, CA in %s", first.URL(), first.CAFile())
	}
	if info, err := os.Stat(first.CAFile() + ".key"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the CA's key: %v, %v; want mode 0600", info, err)
	}
	reach := func(endpoint, ca string) error {
		c := dial(t, client.Config{Endpoint: endpoint, Token: "s3cret", CA: ca, Retries: -1})
		_, err := c.ListInstances(t.Context(), simcloud.ListOptions{})
		return err
	}
	if err := reach(first.URL(), first.CAFile()); err != nil {
		t.Error(err)
	}
	if err := reach(strings.Replace(first.URL(), "127.0.0.1", "localhost", 1), first.CAFile()); err != nil {
		t.Errorf("as localhost: %v", err)
	}
	var unknown x509.UnknownAuthorityError
	if err := reach(first.URL(), ""); !errors.As(err, &unknown) {
		t.Errorf("without the CA: %v", err)
	}
	if err := reach(strings.Replace(first.URL(), "https", "http", 1), ""); !errors.Is(err, simcloud.Unavailable) {
		t.Errorf("without TLS: %v", err)
	}
	before, err := os.ReadFile(first.CAFile())
	if err != nil {
		t.Fatal(err)
	}
	shut(t, first)
	if err := os.Chmod(first.CAFile()+".key", 0o644); err != nil {
		t.Fatal(err)
	}

	second := open(t, cfg)
	if info, err := os.Stat(first.CAFile() + ".key"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the CA's key after a restart: %v, %v; want mode 0600", info, err)
	}
	after, err := os.ReadFile(second.CAFile())
	if err != nil || string(after) != string(before) {
		t.Errorf("a restart made another CA (%v)", err)
	}
	if err := reach(second.URL(), second.CAFile()); err != nil {
		t.Errorf("after a restart: %v", err)
	}
}

// TestSelfSignedForAllAddresses: a cloud that listens everywhere has a certificate for each address.
func TestSelfSignedForAllAddresses(t *testing.T) {
	t.Parallel()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	cloud := open(t, sim.Config{Ephemeral: true, Listen: ":0", TLS: sim.TLS{SelfSigned: true, CAFile: ca}})
	_, port, err := net.SplitHostPort(strings.TrimPrefix(cloud.URL(), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, client.Config{Endpoint: "https://127.0.0.1:" + port, Token: cloud.Token(), CA: ca})
	if _, err := c.GetState(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestGivenCertificate: a certificate of another issuer is served.
func TestGivenCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shut(t, open(t, sim.Config{Ephemeral: true, TLS: sim.TLS{SelfSigned: true, CAFile: filepath.Join(dir, "own.pem")}}))
	given := sim.TLS{CertFile: filepath.Join(dir, "own.pem"), KeyFile: filepath.Join(dir, "own.pem.key")}
	cloud := open(t, sim.Config{Ephemeral: true, TLS: given})
	if cloud.CAFile() != "" {
		t.Errorf("a CA in %s was made for a given certificate", cloud.CAFile())
	}
	address := strings.TrimPrefix(cloud.URL(), "https://")
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}}}
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	state := conn.(*tls.Conn).ConnectionState()
	if err := conn.Close(); err != nil || state.PeerCertificates[0].Subject.CommonName != "simcloud CA" || state.NegotiatedProtocol == "h2" {
		t.Errorf("served: %v, %q, %v", state.PeerCertificates[0].Subject, state.NegotiatedProtocol, err)
	}
}

// TestOldTLS is refused.
func TestOldTLS(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true, TLS: sim.TLS{SelfSigned: true}})
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}}
	if conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(cloud.URL(), "https://")); err == nil {
		_ = conn.Close()
		t.Error("TLS 1.1 is spoken")
	}
}

func TestTLSErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.pem")
	if err := os.WriteFile(foreign, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		tls  sim.TLS
		code simcloud.Code
		says string
	}{
		"a certificate without its key": {sim.TLS{CertFile: foreign}, simcloud.Invalid, "tls.key"},
		"a key without its certificate": {sim.TLS{KeyFile: foreign}, simcloud.Invalid, "tls.cert"},
		"both":                          {sim.TLS{CertFile: foreign, KeyFile: foreign, SelfSigned: true}, simcloud.Invalid, "tls.selfSigned"},
		"a CA file for nothing":         {sim.TLS{CAFile: foreign}, simcloud.Invalid, "tls.caFile"},
		"no certificate":                {sim.TLS{CertFile: foreign, KeyFile: foreign}, simcloud.Unavailable, foreign},
		"another issuer's CA":           {sim.TLS{SelfSigned: true, CAFile: foreign}, simcloud.Unavailable, foreign},
		"no folder for the CA":          {sim.TLS{SelfSigned: true, CAFile: filepath.Join(dir, "none", "ca.pem")}, simcloud.Unavailable, filepath.Join(dir, "none")},
	} {
		t.Run(name, func(t *testing.T) {
			data := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".db")
			cloud, err := sim.Open(t.Context(), sim.Config{Data: data, TLS: c.tls})
			if err == nil {
				shut(t, cloud)
			}
			if simcloud.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %s that says %q", err, c.code, c.says)
			}
			if _, err := os.Stat(data); err == nil {
				t.Error("a data file was made before the certificate was tried")
			}
		})
	}
}

// TestCloseWithSilentTLSConnection: one that has not even shaken hands does not hold a closing cloud up.
func TestCloseWithSilentTLSConnection(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true, TLS: sim.TLS{SelfSigned: true}})
	silent, err := net.Dial("tcp", strings.TrimPrefix(cloud.URL(), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	c := dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token(), CA: cloud.CAFile()})
	if _, err := c.GetState(t.Context()); err != nil {
		t.Fatal(err)
	}
	shut(t, cloud)
	if res, err := http.Get(cloud.URL() + "/healthz"); err == nil {
		_ = res.Body.Close()
		t.Error("a closed cloud answers")
	}
}
