package redact

import "bytes"

// xmlText is XML that is read from its beginning to where it ends or is cut.
type xmlText struct {
	in, out []byte
	element string // the local name of the latest element that was opened
	label   bool   // the last element that labels another one names a secret
	found   func(secret string, cut bool)
	cut     bool
}

// xml returns XML without its secrets; false when an element cannot be read.
func (r *Redactor) xml(body []byte, cut bool) ([]byte, bool) {
	t := xmlText{in: body, out: make([]byte, 0, len(body)+len(body)/8), found: r.know, cut: cut}
	for len(t.in) > 0 {
		at := bytes.IndexByte(t.in, '<')
		if at < 0 {
			at = len(t.in)
		}
		if at > 0 {
			t.text(at)
			continue
		}
		if !t.markup() {
			return nil, false
		}
	}
	return t.out, true
}

func (t *xmlText) emit(n int) {
	t.out = append(t.out, t.in[:n]...)
	t.in = t.in[n:]
}

func (t *xmlText) text(n int) {
	value := t.in[:n]
	if labels(t.element) {
		t.label = sensitive(value)
		t.element = ""
	}
	if showsKey(value) {
		t.replace(n)
		return
	}
	t.emit(n)
}

// replace puts the replacement in place of a text.
func (t *xmlText) replace(n int) {
	secret := bytes.TrimSpace(t.in[:n])
	if len(secret) > 0 {
		t.found(string(secret), t.cut && n == len(t.in))
		t.out = append(t.out, Replacement...)
	}
	t.in = t.in[n:]
}

// markup takes in what begins with "<"; false when that is no markup.
func (t *xmlText) markup() bool {
	switch {
	case bytes.HasPrefix(t.in, []byte("<!--")):
		t.in = t.in[through(t.in, "-->"):] // no field says what a comment has
	case bytes.HasPrefix(t.in, []byte("<![CDATA[")):
		t.text(through(t.in, "]]>"))
	case bytes.HasPrefix(t.in, []byte("<?")):
		t.emit(through(t.in, "?>"))
	case bytes.HasPrefix(t.in, []byte("<!")), bytes.HasPrefix(t.in, []byte("</")):
		t.emit(through(t.in, ">"))
	default:
		return t.start()
	}
	return true
}

// through is where a text ends that ends with a mark; the whole when it is cut.
func through(in []byte, mark string) int {
	if at := bytes.Index(in, []byte(mark)); at >= 0 {
		return at + len(mark)
	}
	return len(in)
}

// start takes in the tag that begins an element, and the element with it when it is secret.
func (t *xmlText) start() bool {
	n := bytes.IndexAny(t.in, " \t\r\n/>")
	if n < 0 { // cut
		t.emit(len(t.in))
		return true
	}
	name := t.in[1:n]
	if len(name) == 0 {
		return false
	}
	local := name[bytes.LastIndexByte(name, ':')+1:]
	t.emit(n)
	closed, ok := t.attributes()
	if !ok || len(t.in) == 0 || closed {
		return ok
	}
	t.element = string(local)
	if sensitive(local) || t.label && labelled(t.element) {
		t.replace(elementEnd(t.in, name))
		t.label = false
	}
	return true
}

// attributes takes in the rest of a tag; closed is whether its element is empty.
func (t *xmlText) attributes() (closed, ok bool) {
	for len(t.in) > 0 {
		switch c := t.in[0]; c {
		case '>':
			t.emit(1)
			return closed, true
		case '/', ' ', '\t', '\r', '\n':
			closed = c == '/'
			t.emit(1)
		default:
			if !t.attribute() {
				return false, false
			}
		}
	}
	return closed, true
}

func (t *xmlText) attribute() bool {
	n := bytes.IndexAny(t.in, "= \t\r\n/>")
	if n < 0 {
		t.emit(len(t.in))
		return true
	}
	if t.in[n] != '=' || n+1 < len(t.in) && t.in[n+1] != '"' && t.in[n+1] != '\'' {
		return false
	}
	secret := sensitive(t.in[:n])
	t.emit(min(n+2, len(t.in)))
	if len(t.in) == 0 {
		return true
	}
	end := bytes.IndexByte(t.in, t.out[len(t.out)-1])
	if end < 0 {
		end = len(t.in)
	}
	if secret || showsKey(t.in[:end]) {
		t.replace(end)
	} else {
		t.emit(end)
	}
	t.emit(min(1, len(t.in)))
	return true
}

// elementEnd is where the contents of an element end, which may have others of its name.
func elementEnd(in, name []byte) int {
	at, depth := 0, 1
	for {
		next := bytes.IndexByte(in[at:], '<')
		if next < 0 {
			return len(in)
		}
		at += next
		switch tag := in[at+1:]; {
		case names(tag, name) && !empty(tag):
			depth++
		case len(tag) > 0 && tag[0] == '/' && names(tag[1:], name):
			if depth--; depth == 0 {
				return at
			}
		}
		at++
	}
}

// names reports whether a tag has the name, and not a longer one.
func names(tag, name []byte) bool {
	return bytes.HasPrefix(tag, name) && (len(tag) == len(name) || bytes.IndexByte([]byte(" \t\r\n/>"), tag[len(name)]) >= 0)
}

func empty(tag []byte) bool {
	end := bytes.IndexByte(tag, '>')
	return end > 0 && tag[end-1] == '/'
}
