package hcloud

import (
	"crypto"
	_ "crypto/sha1" // which older APIs have
	_ "crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// checkPair judges an uploaded certificate and its key.
func checkPair(certificate, key string) error {
	if _, err := leafOf(certificate); err != nil {
		return wrong("certificate", "is not a certificate in PEM: %v", err)
	}
	if block, _ := pem.Decode([]byte(key)); block == nil || !strings.Contains(block.Type, "PRIVATE KEY") {
		return wrong("private_key", "is not a private key in PEM")
	}
	if _, err := tls.X509KeyPair([]byte(certificate), []byte(key)); err != nil {
		return wrong("private_key", "is not the key of the certificate: %v", err)
	}
	return nil
}

// leafOf is the first certificate of a chain.
func leafOf(chain string) (*x509.Certificate, error) {
	block, _ := pem.Decode([]byte(chain))
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, errors.New("it does not begin with a block CERTIFICATE")
	}
	return x509.ParseCertificate(block.Bytes)
}

// domainsOf are the names that a certificate is valid for; never nil.
func domainsOf(leaf *x509.Certificate) []string {
	if len(leaf.DNSNames) == 0 && leaf.Subject.CommonName != "" {
		return []string{leaf.Subject.CommonName}
	}
	return append([]string{}, leaf.DNSNames...)
}

// fingerprintOf is the SHA-256 of a certificate, or its SHA-1. Hetzner's documents do not say which hash theirs is.
func fingerprintOf(leaf *x509.Certificate, hash string) string {
	of := crypto.SHA256
	if hash == "sha1" {
		of = crypto.SHA1
	}
	digest := of.New()
	_, _ = digest.Write(leaf.Raw) // never fails
	sum := digest.Sum(nil)
	parts := make([]string, len(sum))
	for i, b := range sum {
		parts[i] = fmt.Sprintf("%02x", b)
	}
	return strings.Join(parts, ":")
}
