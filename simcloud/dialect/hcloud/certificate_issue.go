package hcloud

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// unreachable is the end of the domains whose issuance fails: by RFC 2606 no
// such name is ever in DNS, so that no authority could validate one.
const unreachable = ".invalid"

// codeValidation is Hetzner's code for a domain that could not be validated.
const codeValidation = "ca_dns_validation_failed"

// statusOfIssuance is what has become of a managed certificate: it is issued at once, or not at all.
func statusOfIssuance(k kept) *certificateStatus {
	for _, domain := range k.Domains {
		if strings.HasSuffix(domain, unreachable) {
			return &certificateStatus{Issuance: "failed", Renewal: "unavailable", Error: &failure{
				Code: codeValidation, Message: "the domain " + domain + " could not be validated by DNS",
			}}
		}
	}
	return &certificateStatus{Issuance: "completed", Renewal: "scheduled"}
}

// lifetime is how long a managed certificate is valid, as those of Let's Encrypt are.
const lifetime = 90 * 24 * time.Hour

// issued is a managed certificate in PEM. It is signed by its own key, which follows from the
// document: the certificate is the same each time, and no key has to be kept.
func issued(d simcloud.Document, k kept) (string, error) {
	seed := sha256.Sum256([]byte(string(d.ID) + " " + d.Created.Format(time.RFC3339Nano)))
	key := ed25519.NewKeyFromSeed(seed[:])
	from := d.Created.UTC().Truncate(time.Second)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(numberOf(d.ID)), Subject: pkix.Name{CommonName: k.Domains[0]}, DNSNames: k.Domains,
		NotBefore: from, NotAfter: from.Add(lifetime), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key) // Ed25519 asks for no chance
	if err != nil {
		return "", err
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})), nil
}
