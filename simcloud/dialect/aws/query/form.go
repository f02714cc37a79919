package query

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The bounds of a form. AWS takes requests with 50 filters of 200 values each.
const (
	maxFields = 20_000
	maxPlaces = 50_000 // a field of a list of structures makes three
	maxDepth  = 8
	maxName   = 255
)

// Form is the body of a request.
type Form struct {
	// Action and Version name the operation and the edition of its service.
	Action, Version string
	root            *node
}

// node is a place in the structure that the names of a form describe.
type node struct {
	// text is what the field of exactly this name has; given is whether there is one.
	text     string
	given    bool
	children map[string]*node
}

// Parse reads a form. Its error is a [Kind] in the cause: Malformed or Repeated.
func Parse(body []byte) (Form, error) {
	f := Form{root: &node{}}
	rest, fields, places := string(body), 0, 0
	for rest != "" {
		var pair string
		pair, rest, _ = strings.Cut(rest, "&")
		if pair == "" {
			continue
		}
		if fields++; fields > maxFields {
			return f, wrong(Malformed, "form", "has more than %d fields", maxFields)
		}
		made, err := f.add(pair)
		if err != nil {
			return f, err
		}
		if places += made; places > maxPlaces {
			return f, wrong(Malformed, "form", "has names with more than %d different parts", maxPlaces)
		}
	}
	f.Action, f.Version = f.Take("Action"), f.Take("Version")
	return f, nil
}

// Take returns a field and removes it: the structure that is decoded need not have it.
func (f Form) Take(name string) string {
	n := f.root.children[name]
	if n == nil || len(n.children) > 0 {
		return ""
	}
	delete(f.root.children, name)
	return n.text
}

// add adds a field, as it is in the body, and returns how many places it has made.
func (f Form) add(pair string) (made int, _ error) {
	rawName, rawText, _ := strings.Cut(pair, "=")
	name, err := url.QueryUnescape(rawName)
	if err != nil {
		return 0, wrong(Malformed, Clip(rawName), "the name is not URL-encoded: %v", err)
	}
	text, err := url.QueryUnescape(rawText)
	switch {
	case err != nil:
		return 0, wrong(Malformed, Clip(name), "the value is not URL-encoded: %v", err)
	case !utf8.ValidString(name) || !utf8.ValidString(text):
		return 0, wrong(Malformed, Clip(name), "is not UTF-8")
	case name == "" || len(name) > maxName:
		return 0, wrong(Malformed, Clip(name), "the name has %d bytes: must have 1 to %d", len(name), maxName)
	}
	at := f.root
	parts := strings.Split(name, ".")
	if len(parts) > maxDepth {
		return 0, wrong(Malformed, Clip(name), "the name has %d parts: must have at most %d", len(parts), maxDepth)
	}
	for _, part := range parts {
		if part == "" {
			return made, wrong(Malformed, Clip(name), "a part of the name is empty")
		}
		if at.children[part] == nil {
			at.make(part)
			made++
		}
		at = at.children[part]
	}
	if at.given {
		return made, wrong(Repeated, name, "must be there once")
	}
	at.text, at.given = text, true
	return made, nil
}

// make makes a child.
func (n *node) make(name string) {
	if n.children == nil {
		n.children = map[string]*node{}
	}
	n.children[name] = &node{}
}

// Clip returns the beginning of a text that a client has sent.
func Clip(text string) string {
	const most = 100
	if len(text) > most {
		text = text[:most]
	}
	return strings.ToValidUTF8(text, "")
}

// Text returns the value of a field by its whole name; empty when the form does not have it.
func (f Form) Text(name string) string {
	if f.root == nil {
		return ""
	}
	at := f.root
	for part := range strings.SplitSeq(name, ".") {
		if at = at.children[part]; at == nil {
			return ""
		}
	}
	return at.text
}

// Len returns how many elements a list without ".member" has.
func (f Form) Len(name string) int {
	if f.root == nil || f.root.children[name] == nil {
		return 0
	}
	return len(f.root.children[name].children)
}

// position reads the number of an element of a list, from 1.
func position(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0 && strconv.Itoa(n) == text
}
