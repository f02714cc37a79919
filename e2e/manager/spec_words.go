package manager

import (
	"errors"
	"strings"
)

// splitCommand splits a command into words as a shell does: blanks separate,
// quotes and backslashes hold together. Nothing is expanded.
func splitCommand(command string) ([]string, error) {
	var s splitter
	for _, r := range command {
		s.add(r)
	}
	switch {
	case s.quote != 0:
		return nil, errors.New("a quote is not closed: " + command)
	case s.escaped:
		return nil, errors.New("a backslash stands at the end: " + command)
	}
	s.end()
	return s.words, nil
}

type splitter struct {
	words   []string
	word    strings.Builder
	inWord  bool
	quote   rune // the quote that is open, or 0
	escaped bool
}

func (s *splitter) add(r rune) {
	switch {
	case s.escaped:
		s.word.WriteRune(r)
		s.escaped = false
	case r == '\\' && s.quote != '\'':
		s.escaped, s.inWord = true, true
	case r == s.quote:
		s.quote = 0
	case s.quote != 0:
		s.word.WriteRune(r)
	case r == '\'' || r == '"':
		s.quote, s.inWord = r, true
	case r == ' ' || r == '\t' || r == '\n':
		s.end()
	default:
		s.word.WriteRune(r)
		s.inWord = true
	}
}

func (s *splitter) end() {
	if s.inWord {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.inWord = false
}
