package pki_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud/pki"
)

// now has whole seconds, as certificates do.
var now = time.Now().Truncate(time.Second).UTC()

func newAuthority(t *testing.T, name string) *pki.Authority {
	t.Helper()
	a, err := pki.New(pki.Certificate{Name: name, NotBefore: now.Add(-time.Minute), NotAfter: now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func issue(t *testing.T, a *pki.Authority, c pki.Certificate) *x509.Certificate {
	t.Helper()
	c.NotBefore, c.NotAfter = now.Add(-time.Minute), now.Add(time.Minute)
	pair, err := a.Issue(c)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	if kind := kindOf(pair.Key); kind != "EC PRIVATE KEY" {
		t.Errorf("the key is a %s", kind)
	}
	return loaded.Leaf
}

func kindOf(raw []byte) string {
	block, _ := pem.Decode(raw)
	if block == nil {
		return ""
	}
	return block.Type
}

func verify(cert *x509.Certificate, by *pki.Authority, host string, use x509.ExtKeyUsage) error {
	roots := x509.NewCertPool()
	roots.AddCert(by.Cert)
	_, err := cert.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, KeyUsages: []x509.ExtKeyUsage{use}})
	return err
}

func TestAuthority(t *testing.T) {
	t.Parallel()
	cert := newAuthority(t, "some CA").Cert
	if !cert.IsCA || cert.Subject.CommonName != "some CA" || cert.MaxPathLen != 0 || !cert.MaxPathLenZero {
		t.Errorf("is CA %t, name %q, path length %d", cert.IsCA, cert.Subject.CommonName, cert.MaxPathLen)
	}
	if !cert.NotBefore.Equal(now.Add(-time.Minute)) || !cert.NotAfter.Equal(now.Add(time.Hour)) {
		t.Errorf("valid from %s to %s", cert.NotBefore, cert.NotAfter)
	}
	if key, ok := cert.PublicKey.(*ecdsa.PublicKey); !ok || key.Curve != elliptic.P256() {
		t.Errorf("the key is a %T", cert.PublicKey)
	}
}

func TestIssue(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t, "CA"), newAuthority(t, "CA")
	cert := issue(t, ours, pki.Certificate{
		Name: "system:node:n", Groups: []string{"system:nodes"}, Hosts: []string{"127.0.0.1", "::1", "n.example"},
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	})
	if cert.IsCA || cert.KeyUsage != x509.KeyUsageDigitalSignature {
		t.Errorf("is CA %t, key usage %b", cert.IsCA, cert.KeyUsage)
	}
	if diff := cmp.Diff([]string{"system:node:n", "system:nodes"}, append([]string{cert.Subject.CommonName}, cert.Subject.Organization...)); diff != "" {
		t.Errorf("subject (-want +got):\n%s", diff)
	}
	if !cert.NotBefore.Equal(now.Add(-time.Minute)) || !cert.NotAfter.Equal(now.Add(time.Minute)) {
		t.Errorf("valid from %s to %s", cert.NotBefore, cert.NotAfter)
	}
	for _, host := range []string{"", "127.0.0.1", "::1", "n.example"} {
		for _, use := range []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth} {
			if err := verify(cert, ours, host, use); err != nil {
				t.Errorf("as %q for usage %v: %v", host, use, err)
			}
		}
	}
	if verify(cert, ours, "other.example", x509.ExtKeyUsageServerAuth) == nil {
		t.Error("valid for a host that it does not name")
	}
	if verify(cert, theirs, "", x509.ExtKeyUsageClientAuth) == nil {
		t.Error("an authority of the same name has signed it")
	}
	client := issue(t, ours, pki.Certificate{Name: "c", Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	if verify(client, ours, "", x509.ExtKeyUsageServerAuth) == nil {
		t.Error("a client's certificate is good for a server")
	}
	if cert.SerialNumber.Cmp(client.SerialNumber) == 0 {
		t.Error("two certificates have the same serial number")
	}
}

// TestParse: an authority that was stored signs as before.
func TestParse(t *testing.T) {
	t.Parallel()
	stored := newAuthority(t, "CA")
	key, err := stored.KeyPEM()
	if err != nil {
		t.Fatal(err)
	}
	if kind := kindOf(key); kind != "PRIVATE KEY" {
		t.Errorf("the authority's key is a %s", kind)
	}
	again, err := pki.Parse(stored.PEM, key)
	if err != nil {
		t.Fatal(err)
	}
	cert := issue(t, again, pki.Certificate{Name: "c", Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	if err := verify(cert, stored, "", x509.ExtKeyUsageClientAuth); err != nil {
		t.Error(err)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	one, other := newAuthority(t, "CA"), newAuthority(t, "CA")
	key, err := other.KeyPEM()
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string]pki.Pair{
		"no certificate":       {Cert: []byte("x"), Key: key},
		"no key":               {Cert: one.PEM, Key: []byte("y")},
		"the key of another":   {Cert: one.PEM, Key: key},
		"a key as certificate": {Cert: key, Key: key},
	} {
		if _, err := pki.Parse(pair.Cert, pair.Key); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestNewKey(t *testing.T) {
	t.Parallel()
	private, public, err := pki.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(private)
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	block, _ = pem.Decode(public)
	half, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil || !key.PublicKey.Equal(half) {
		t.Errorf("the public half is of another key, %v", err)
	}
}
