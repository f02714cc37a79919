package redact

import (
	"bytes"
	"net/url"
	"strings"
)

// isForm reports whether a text can be a form: names with values, without what forms escape.
func isForm(text []byte) bool {
	return bytes.IndexByte(text, '=') > 0 && !bytes.ContainsAny(text, " \t\r\n<>{}\"")
}

// form returns a form without its secrets.
func (r *Redactor) form(body []byte, cut bool) []byte {
	if bytes.IndexByte(body, '=') < 0 {
		return body
	}
	out := make([]byte, 0, len(body))
	suspect := "" // the beginning of the names of the values that a field has called secret
	fields := bytes.Split(body, []byte("&"))
	for i, field := range fields {
		if i > 0 {
			out = append(out, '&')
		}
		raw, value, has := bytes.Cut(field, []byte("="))
		name, text := unescaped(raw), unescaped(value)
		prefix, last := split(name)
		if labels(last) {
			if suspect = ""; sensitive([]byte(text)) {
				suspect = prefix + "Value"
			}
		}
		secret := sensitive([]byte(name)) || suspect != "" && strings.HasPrefix(name, suspect) || showsKey([]byte(text))
		if !has || !secret || len(value) == 0 {
			out = append(out, field...)
			continue
		}
		r.know(text, cut && i == len(fields)-1)
		out = append(append(append(out, raw...), '='), Replacement...)
	}
	return out
}

// split cuts a name such as Filter.1.Name before its last part.
func split(name string) (prefix, last string) {
	at := strings.LastIndexByte(name, '.') + 1
	return name[:at], name[at:]
}

func unescaped(raw []byte) string {
	if bytes.IndexByte(raw, '%') < 0 && bytes.IndexByte(raw, '+') < 0 {
		return string(raw)
	}
	if text, err := url.QueryUnescape(string(raw)); err == nil {
		return text
	}
	return string(raw)
}
