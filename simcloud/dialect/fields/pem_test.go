package fields_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"
)

// filled is a table with PEM in place of {certificate}, of {renewed}, which is another one of the same key, and of {key}.
func filled(t *testing.T, raw string) string {
	t.Helper()
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	for name, block := range map[string]*pem.Block{
		"{certificate}": {Type: "CERTIFICATE", Bytes: selfSigned(t, key, 1)},
		"{renewed}":     {Type: "CERTIFICATE", Bytes: selfSigned(t, key, 2)},
		"{key}":         {Type: "PRIVATE KEY", Bytes: must[[]byte](t)(x509.MarshalPKCS8PrivateKey(key))},
	} {
		text := must[[]byte](t)(json.Marshal(string(pem.EncodeToMemory(block))))
		raw = strings.ReplaceAll(raw, name, strings.Trim(string(text), `"`))
	}
	return raw
}

// selfSigned is a certificate with that serial number.
func selfSigned(t *testing.T, key *ecdsa.PrivateKey, serial int64) []byte {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{"a.example.com"},
		NotBefore: time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2100, time.January, 1, 0, 0, 0, 0, time.UTC),
	}
	return must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
}
