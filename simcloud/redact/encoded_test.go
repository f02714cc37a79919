package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/redact"
)

// escapedAll has each byte of a text as %xx.
func escapedAll(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}

// TestFormsOfKnownSecret: a secret is found in a text in whatever form it is there, at any place of what was encoded.
func TestFormsOfKnownSecret(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"Xq9-_kd82mZpAAb7", "s3cret-s3cret-s3cret-s3cret-s3cret-s3cret-s3", "a/b+c=d&e f?g%h", "12345678", "redacted-redacted", "[redacted]"} {
		var r redact.Redactor
		r.Know(secret)
		encoded := map[string]string{
			"plain": secret, "hex": hex.EncodeToString([]byte(secret)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(secret))),
			"query": url.QueryEscape(secret), "path": url.PathEscape(secret), "all": escapedAll(secret), "twice": escapedAll(escapedAll(secret)),
			"half": secret[:3] + escapedAll(secret[3:6]) + secret[6:],
		}
		for before := range 7 {
			for after := range 4 {
				text := []byte(strings.Repeat("x", before) + secret + strings.Repeat("y", after))
				encoded[fmt.Sprintf("base64 %d %d", before, after)] = base64.StdEncoding.EncodeToString(text)
				encoded[fmt.Sprintf("base64url %d %d", before, after)] = base64.RawURLEncoding.EncodeToString(text)
				encoded[fmt.Sprintf("escaped base64 %d %d", before, after)] = escapedAll(base64.StdEncoding.EncodeToString(text))
			}
		}
		for name, form := range encoded {
			if strings.Contains(form, "+") && name == "query" {
				continue // a blank as + is a form's, whose values are read
			}
			got := r.Text("GET /before/" + form + "/behind")
			if !strings.HasPrefix(got, "GET /before/") || !strings.HasSuffix(got, "/behind") || !strings.Contains(got, redact.Replacement) {
				t.Errorf("%s of %s: %s", name, secret, got)
			}
			most := 20 // of what stands beside the secret in the same base64
			if strings.HasPrefix(name, "escaped") {
				most *= 3
			}
			if left := len(got) - len("GET /before//behind"+redact.Replacement); left > most {
				t.Errorf("%s of %s: %d bytes are left in %s", name, secret, left, got)
			}
		}
	}
}

// TestTextIsLeft: what is no secret stays as it is.
func TestTextIsLeft(t *testing.T) {
	t.Parallel()
	var r redact.Redactor
	r.Know("s3cret-s3cret")
	for _, text := range []string{"", "GET /v1/instances/i-1", "100% of %zz and %4", "a%20b%2Fc", "%", "s3cret"} {
		if got := r.Text(text); got != text {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// TestBeginningOfKnownSecret: a text that was cut may end with the beginning of a secret, in any form.
func TestBeginningOfKnownSecret(t *testing.T) {
	t.Parallel()
	const secret = "s3cret-s3cret-s3cret"
	var r redact.Redactor
	r.Know(secret)
	for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte("ab" + secret))[3:], hex.EncodeToString([]byte(secret))} {
		if got := r.Text("at " + form[:12]); got != "at "+redact.Replacement {
			t.Errorf("%s: %s", form, got)
		}
	}
}

// TestShortenedSecret: a message that repeats the beginning of a secret shows no more of it than a few bytes.
func TestShortenedSecret(t *testing.T) {
	t.Parallel()
	const secret = "9LSyTgmQVtzMv5cR4jJIdQBdxL3_HIDIVNJ5pG3GdgI"
	var r redact.Redactor
	r.Know(secret)
	for _, c := range [][2]string{
		{"the version (\"" + secret[:40] + "\") is unknown", "the version (\"[redacted]\") is unknown"},
		{"the version (\"" + secret[:8] + "…\")", "the version (\"[redacted]…\")"},
		{"of " + escapedAll(secret[:20]) + " and " + secret[:9], "of [redacted] and [redacted]"},
	} {
		if got := r.Text(c[0]); got != c[1] {
			t.Errorf("%q is %q, want %q", c[0], got, c[1])
		}
	}
}

// FuzzText: texts of any kind with a secret somewhere do not show it, and nothing panics.
func FuzzText(f *testing.F) {
	const secret = "Xq9-_kd82mZpAAb7"
	for _, seed := range []string{"", "%", "%2", "%25%32%35", "a%41", "%%%", base64.StdEncoding.EncodeToString([]byte(secret))} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		var r redact.Redactor
		r.Know(secret)
		if got := r.Text(before + secret + after); strings.Contains(got, secret) {
			t.Errorf("%q shows it", got)
		}
	})
}
