package embedded

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"
)

func testPKI(t *testing.T) *certificates {
	t.Helper()
	dir := layout(t.TempDir())
	if err := dir.reset(); err != nil {
		t.Fatal(err)
	}
	p, err := newCertificates(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNodeCertificate(t *testing.T) {
	t.Parallel()
	p := testPKI(t)
	pair, err := p.issue("node", nodeIdentity("node-1"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	cert := loaded.Leaf
	if diff := cmp.Diff([]string{"system:node:node-1", "system:nodes"}, append([]string{cert.Subject.CommonName}, cert.Subject.Organization...)); diff != "" {
		t.Errorf("the node authorizer needs another subject (-want +got):\n%s", diff)
	}
	roots := x509.NewCertPool()
	roots.AddCert(p.ca.Cert)
	for _, use := range []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth} {
		_, err := cert.Verify(x509.VerifyOptions{Roots: roots, DNSName: "127.0.0.1", KeyUsages: []x509.ExtKeyUsage{use}})
		if err != nil {
			t.Errorf("usage %v: %v", use, err)
		}
	}
	if cert.IsCA {
		t.Error("a node can issue certificates")
	}
}

// TestOtherAuthority proves that two clusters do not let each other's clients in.
func TestOtherAuthority(t *testing.T) {
	t.Parallel()
	ours, theirs := testPKI(t), testPKI(t)
	for name, tt := range map[string]struct {
		client *certificates
		ok     bool
	}{"ours": {ours, true}, "theirs": {theirs, false}} {
		err := handshake(t, ours, tt.client)
		if (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// handshake serves with one PKI and connects with the other's admin.
func handshake(t *testing.T, server, client *certificates) error {
	t.Helper()
	cert, err := tls.LoadX509KeyPair(server.dir.file("etcd.crt"), server.dir.file("etcd.key"))
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AddCert(server.ca.Cert)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	served := make(chan error, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			served <- err
			return
		}
		s := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients})
		served <- errors.Join(s.HandshakeContext(t.Context()), s.Close())
	}()
	config, err := client.clientTLS()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := tls.Dial("tcp", ln.Addr().String(), config)
	if err == nil {
		_, err = io.ReadAll(conn)
		_ = conn.Close()
	}
	return errors.Join(err, <-served)
}

// TestRequestHeaderCA: the API server has a CA for proxies, and none of the cluster's certificates is a proxy's by it.
func TestRequestHeaderCA(t *testing.T) {
	t.Parallel()
	p := testPKI(t)
	raw, err := os.ReadFile(p.dir.file("request-header-ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	proxies := x509.NewCertPool()
	if !proxies.AppendCertsFromPEM(raw) {
		t.Fatal("the file has no certificate")
	}
	for file := range identities() {
		pair, err := tls.LoadX509KeyPair(p.dir.file(file+".crt"), p.dir.file(file+".key"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: proxies, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err == nil {
			t.Errorf("%s may ask in the name of any user", file)
		}
	}
}

// TestAPIServerFiles: each file in the flags of the API server exists, the CA of proxies too, which it publishes for CCMs.
func TestAPIServerFiles(t *testing.T) {
	t.Parallel()
	certs := testPKI(t)
	p := plane{dir: certs.dir, certs: certs}
	var files []string
	for _, arg := range p.apiServerArgs() {
		flag, path, _ := strings.Cut(arg, "=")
		if !filepath.IsAbs(path) {
			continue
		}
		files = append(files, flag)
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", flag, err)
		}
	}
	if !slices.Contains(files, "--requestheader-client-ca-file") || !slices.Contains(files, "--client-ca-file") {
		t.Errorf("the flags with files are %v", files)
	}
}

func TestKubeconfig(t *testing.T) {
	t.Parallel()
	p := testPKI(t)
	path, err := p.writeKubeconfig("kube-scheduler", "https://127.0.0.1:1234")
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != "https://127.0.0.1:1234" {
		t.Errorf("host is %s", config.Host)
	}
	for _, file := range []string{config.CAFile, config.CertFile, config.KeyFile} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

// TestPrivate proves that no file of the PKI is for others, and that the CA's key is in no file.
func TestPrivate(t *testing.T) {
	t.Parallel()
	p := testPKI(t)
	if _, err := p.writeKubeconfig("admin", "https://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(p.dir.file("*"))
	if err != nil || len(files) < 10 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, file := range files {
		if filepath.Base(file) == "ca.key" {
			t.Error("the CA's key is written down")
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	if info, err := os.Stat(p.dir.pki()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
