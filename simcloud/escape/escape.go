// Package escape makes text of unknown origin safe to show: in a terminal, in
// XML, JSON, YAML and Markdown. Callers of the cloud choose labels, paths and
// user agents, and a CCM chooses what it logs; an escape sequence or a line
// break in these must not reach the reader's terminal or forge a row.
//
// HTML is not here: html/template escapes it.
package escape

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Line returns text that stays in its line of a terminal. Control characters,
// line and paragraph separators, bidirectional overrides, other invisible
// characters and bytes that are not UTF-8 become visible as Go writes them: \x1b,
// \n, \u202e, \xff. A backslash stays one, so the result does not tell the text:
// JSON and YAML do.
func Line(text string) string { return visible(text, "") }

// Block is Line for text of several lines: line feeds and tabs stay.
func Block(text string) string { return visible(text, "\n\t") }

// XML returns text that an XML document can hold, which encoding/xml still
// has to quote. All that Block leaves is among the characters of XML 1.0.
func XML(text string) string { return Block(text) }

// visible escapes what is not graphic, but for the characters of kept.
func visible(text, kept string) string {
	var b strings.Builder
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		char := rest[:size]
		rest = rest[size:]
		if !hidden(r, size) || strings.ContainsRune(kept, r) {
			b.WriteString(char)
			continue
		}
		quoted := strconv.Quote(char)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// hidden reports whether a rune of so many bytes is invisible, or is no rune.
func hidden(r rune, size int) bool {
	return !strconv.IsGraphic(r) || r == utf8.RuneError && size == 1
}

// Writer writes what is written to it as Block does. Close it: the first bytes
// of a character wait for the others.
type Writer struct {
	to  io.Writer
	cut []byte
}

// NewWriter returns a Writer that writes to a terminal.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write writes all characters of which it has all bytes.
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.cut, p...)
	whole := len(text) - unfinished(text)
	w.cut = slices.Clone(text[whole:])
	if _, err := io.WriteString(w.to, Block(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes what is left. It does not close what it writes to.
func (w *Writer) Close() error {
	_, err := io.WriteString(w.to, Block(string(w.cut)))
	w.cut = nil
	return err
}

// unfinished returns how many bytes at the end begin a character that has more.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if end := text[len(text)-n:]; utf8.RuneStart(end[0]) {
			if utf8.FullRune(end) {
				return 0
			}
			return n
		}
	}
	return 0
}
