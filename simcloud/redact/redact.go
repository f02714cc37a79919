// Package redact takes the secrets out of what a call has sent and got, so that it
// can be recorded and shown. It finds them by the names of their fields, in JSON, XML
// and forms, also where a text is only the beginning of one. What it cannot read it
// withholds rather than shows.
package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Replacement stands in place of a secret.
const Replacement = "[redacted]"

// shortest is the length in bytes of the shortest secret that is looked for outside
// of its field: a shorter one is part of too many other texts.
const shortest = 8

// Redactor takes the secrets out of the texts of one call. It remembers those that
// it has found, because an answer may repeat what its request had. The zero value is ready.
type Redactor struct{ known []known }

// known is a secret, or the beginning of one that was cut.
type known struct {
	text   string
	quoted string // as JSON has it; empty where that is the same
	cut    bool
}

// Know adds a secret that no field has, such as that of a header.
func (r *Redactor) Know(secret string) { r.know(secret, false) }

func (r *Redactor) know(secret string, cut bool) {
	if len(secret) < shortest {
		return
	}
	k := known{text: secret, cut: cut}
	if strings.ContainsFunc(secret, func(c rune) bool { return c < ' ' || c > '~' || strings.ContainsRune(`"\<>&`, c) }) {
		quoted, _ := json.Marshal(secret) // a text has JSON
		k.quoted = string(quoted[1 : len(quoted)-1])
	}
	r.known = append(r.known, k)
}

// Body returns a body as text without its secrets; cut is whether it is only the
// beginning of one. The text itself decides what it is: a caller may be wrong about its
// media type.
func (r *Redactor) Body(body []byte, cut bool) string {
	text := bytes.TrimLeft(body, " \t\r\n")
	if len(text) == 0 {
		return ""
	}
	var out []byte
	var ok bool
	switch {
	case text[0] == '<':
		out, ok = r.xml(body, cut)
	case isForm(text):
		out, ok = r.form(body, cut), true
	default:
		out, ok = r.json(body, cut)
	}
	if !ok {
		out = plain(body)
	}
	shown := r.withoutKnown(string(out))
	if cut {
		shown = r.withoutBeginning(shown)
	}
	return strings.ToValidUTF8(shown, "\uFFFD")
}

// Query returns the query of a URL without its secrets.
func (r *Redactor) Query(raw string) string {
	return r.withoutKnown(string(r.form([]byte(raw), false)))
}

// withoutKnown replaces the secrets that were found before, wherever they are, as
// they are and as JSON has them. Of one that was cut no one knows where it ends.
func (r *Redactor) withoutKnown(text string) string {
	for _, secret := range r.known {
		text = secret.outOf(text, secret.text)
		if secret.quoted != "" {
			text = secret.outOf(text, secret.quoted)
		}
	}
	return text
}

// outOf replaces one form of the secret in a text.
func (k known) outOf(text, form string) string {
	if !k.cut {
		return strings.ReplaceAll(text, form, Replacement)
	}
	if before, _, found := strings.Cut(text, form); found {
		return before + Replacement
	}
	return text
}

// withoutBeginning replaces the beginning of a known secret at the end of a text that is cut.
func (r *Redactor) withoutBeginning(text string) string {
	for _, secret := range r.known {
		for n := min(len(secret.text), len(text)); n >= shortest; n-- {
			if strings.HasSuffix(text, secret.text[:n]) {
				return text[:len(text)-n] + Replacement
			}
		}
	}
	return text
}

// showsKey reports whether a value is a secret by its looks, whatever its field is called.
func showsKey(value []byte) bool {
	const bearer = "Bearer "
	at := bytes.Index(value, []byte(bearer))
	return at >= 0 && at+len(bearer) < len(value) && value[at+len(bearer)] != '<' || bytes.Contains(value, []byte("PRIVATE KEY-----"))
}
