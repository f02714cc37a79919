package escape

import (
	"io"
	"slices"
	"unicode/utf8"
)

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
