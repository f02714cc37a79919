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
	text  string
	forms []string // text, and what else shows it, such as its base64
	cut   bool
	// least is how much of its beginning shows it; 0: only all of it does.
	least int
}

// Know adds a secret that no field has, such as that of a header. The beginning of it is one too: messages shorten what they repeat.
func (r *Redactor) Know(secret string) {
	r.know(secret, false)
	if n := len(r.known); n > 0 && r.known[n-1].text == secret {
		r.known[n-1].least = shortest
	}
}

func (r *Redactor) know(secret string, cut bool) {
	if len(secret) < shortest {
		return
	}
	k := known{text: secret, forms: []string{secret}, cut: cut}
	if strings.ContainsFunc(secret, func(c rune) bool { return c < ' ' || c > '~' || strings.ContainsRune(`"\<>&`, c) }) {
		quoted, _ := json.Marshal(secret) // a text has JSON
		k.forms = append(k.forms, string(quoted[1:len(quoted)-1]))
	}
	if !cut {
		k.forms = append(k.forms, forms(secret)...)
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

// Text returns a text that repeats what a caller has sent, such as a path or a message, without the secrets that are known. It may be
// cut at its end.
func (r *Redactor) Text(text string) string { return r.withoutBeginning(r.withoutKnown(text)) }

// Query returns the query of a URL without its secrets.
func (r *Redactor) Query(raw string) string {
	return r.withoutKnown(string(r.form([]byte(raw), false)))
}

// withoutKnown replaces the secrets that were found before, wherever they are, in each of
// their forms. Of one that was cut no one knows where it ends.
func (r *Redactor) withoutKnown(text string) string {
	for _, whole := range []bool{true, false} { // the beginning of one form may be a part of another one
		for _, secret := range r.known {
			for _, form := range secret.forms {
				text = secret.outOf(text, form, whole)
			}
		}
	}
	return withoutEscaped(text, r.find)
}

// find is where a known secret is in a text; below 0 for nowhere.
func (r *Redactor) find(text string) (from, to int) {
	for _, whole := range []bool{true, false} {
		for _, secret := range r.known {
			for _, form := range secret.forms {
				if from, to = secret.in(text, form, whole); from >= 0 {
					return from, to
				}
			}
		}
	}
	return -1, -1
}

// outOf replaces one form of the secret in a text, or its beginning too.
func (k known) outOf(text, form string, whole bool) string {
	if !k.cut {
		shown := ""
		for {
			from, to := k.in(text, form, whole)
			if from < 0 {
				return shown + text
			}
			shown, text = shown+text[:from]+Replacement, text[to:]
		}
	}
	if before, _, found := strings.Cut(text, form); found {
		return before + Replacement
	}
	return text
}

// in is where a form of the secret is in a text, or, unless it must be whole, as much of its beginning as shows it; below 0 for nowhere.
func (k known) in(text, form string, whole bool) (from, to int) {
	least := len(form)
	if k.least > 0 && !whole {
		least = min(k.least, least)
	}
	from = strings.Index(text, form[:least])
	if from < 0 {
		return -1, -1
	}
	for to = from + least; to < len(text) && to-from < len(form) && text[to] == form[to-from]; {
		to++
	}
	return from, to
}

// withoutBeginning replaces the beginning of a known secret at the end of a text that is cut.
func (r *Redactor) withoutBeginning(text string) string {
	for _, secret := range r.known {
		for _, form := range secret.forms {
			for n := min(len(form), len(text)); n >= shortest; n-- {
				if strings.HasSuffix(text, form[:n]) {
					return text[:len(text)-n] + Replacement
				}
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
