package redact

import (
	"bytes"
	"encoding/json"
)

// place is what the grammar of JSON expects next.
type place int

const (
	atValue place = iota
	atKey
	atColon
	atEnd // of a value: a comma, or what closes the object or list
)

// jsonText is JSON that is read from its beginning to where it ends or is cut.
type jsonText struct {
	in, out []byte
	at      int
	place   place
	open    []byte // the braces and brackets that are open
	name    []byte // of the field whose value comes next; nil in lists
	secret  bool   // the value that comes next is one
	label   bool   // the last value that labels another one names a secret
	found   func(secret string, cut bool)
	cut     bool
}

// json returns JSON without its secrets; false when it is not JSON, nor the beginning of any.
func (r *Redactor) json(body []byte, cut bool) ([]byte, bool) {
	t := jsonText{in: body, out: make([]byte, 0, len(body)+len(body)/8), found: r.know, cut: cut}
	for t.at < len(t.in) {
		if !t.next() {
			return nil, false
		}
	}
	return t.out, true
}

// next takes the next token in; false when there must not be such a one.
func (t *jsonText) next() bool {
	c := t.in[t.at]
	switch {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		t.emit(1)
	case c == '"' && t.place == atKey:
		t.key()
	case t.place == atValue && (c == '"' || c == '{' || c == '[' || isLiteral(c)):
		return t.value(c)
	case c == ':' && t.place == atColon:
		t.emit(1)
		t.place = atValue
	case c == ',' && t.place == atEnd && len(t.open) > 0:
		t.emit(1)
		t.enter()
	case c == '}' && t.inside('{') && (t.place == atEnd || t.place == atKey),
		c == ']' && t.inside('[') && (t.place == atEnd || t.place == atValue):
		t.emit(1)
		t.open, t.place, t.label = t.open[:len(t.open)-1], atEnd, false
	default:
		return false
	}
	return true
}

func (t *jsonText) emit(n int) {
	t.out = append(t.out, t.in[t.at:t.at+n]...)
	t.at += n
}

func (t *jsonText) inside(brace byte) bool { return len(t.open) > 0 && t.open[len(t.open)-1] == brace }

// enter expects what an object or a list has next.
func (t *jsonText) enter() {
	t.place, t.secret, t.name = atValue, false, nil
	if t.inside('{') {
		t.place = atKey
	}
}

func (t *jsonText) key() {
	end := stringEnd(t.in, t.at)
	t.name = unquoted(t.in[t.at:end])
	t.secret = sensitive(t.name) || t.label && labelled(string(t.name))
	t.emit(end - t.at)
	t.place = atColon
}

func (t *jsonText) value(c byte) bool {
	end := t.at
	switch {
	case c == '"':
		end = stringEnd(t.in, t.at)
	case !isLiteral(c) && t.secret:
		end = containerEnd(t.in, t.at)
	case !isLiteral(c):
		t.emit(1)
		t.open = append(t.open, c)
		t.label = false
		t.enter()
		return true
	default:
		for end < len(t.in) && isLiteral(t.in[end]) {
			end++
		}
		if !legal(t.in[t.at:end], end == len(t.in)) {
			return false
		}
	}
	t.place = atEnd
	t.scalar(c, end)
	return true
}

// scalar takes in a value that is shown whole or not at all.
func (t *jsonText) scalar(c byte, end int) {
	value := t.in[t.at:end]
	if labels(string(t.name)) {
		t.label = c == '"' && sensitive(value)
	}
	if secret := t.secret || c == '"' && showsKey(value); !secret || harmlessValue(value) {
		t.emit(end - t.at)
		return
	}
	if c == '"' {
		t.found(string(unquoted(value)), t.cut && end == len(t.in))
	}
	t.out = append(t.out, '"')
	t.out = append(t.out, Replacement...)
	t.out = append(t.out, '"')
	t.at = end
}

// harmlessValue reports whether a value tells nothing even where a secret belongs.
func harmlessValue(value []byte) bool {
	switch string(value) {
	case "null", "true", "false", `""`, "[]", "{}":
		return true
	}
	id, ok := bytes.CutPrefix(value, []byte(`"tok-`)) // of a token: the cloud shows it everywhere
	return ok && len(bytes.Trim(id, `0123456789"`)) == 0
}

// stringEnd is where the string ends that begins at a place; the end of the text for one that is cut.
func stringEnd(in []byte, at int) int {
	for at++; at < len(in); at++ {
		switch in[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(in)
}

// containerEnd is where the object or list ends that begins at a place.
func containerEnd(in []byte, at int) int {
	depth := 0
	for at < len(in) {
		switch in[at] {
		case '"':
			at = stringEnd(in, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if at++; depth == 0 {
			break
		}
	}
	return at
}

// unquoted is what a string of JSON says; one that is cut or wrong stays as it is.
func unquoted(raw []byte) []byte {
	plain := bytes.Trim(raw, `"`)
	var text string
	if bytes.IndexByte(raw, '\\') >= 0 && json.Unmarshal(raw, &text) == nil {
		return []byte(text)
	}
	return plain
}

func isLiteral(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// legal reports whether a text without quotes is JSON: a number, or one of three words, or the beginning of one where the text is cut.
func legal(literal []byte, cut bool) bool {
	if c := literal[0]; c == '-' || c >= '0' && c <= '9' {
		return bytes.IndexFunc(literal, func(r rune) bool { return r >= 'a' && r <= 'z' && r != 'e' }) < 0
	}
	for _, word := range [][]byte{[]byte("true"), []byte("false"), []byte("null")} {
		if bytes.Equal(literal, word) || cut && bytes.HasPrefix(word, literal) {
			return true
		}
	}
	return false
}
