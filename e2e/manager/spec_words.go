package manager

import (
	"errors"
	"maps"
	"regexp"
	"slices"
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

var assignmentRE = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// splitEnvironment takes the assignments off the front of a command's words, as a shell does.
func splitEnvironment(words []string) (env, command []string) {
	first := slices.IndexFunc(words, func(word string) bool { return !assignmentRE.MatchString(word) })
	if first < 0 {
		first = len(words)
	}
	return words[:first], words[first:]
}

// has reports whether the command gets a placeholder, as an argument, in its environment or in a config file.
func (s CCMSpec) has(placeholder string) bool {
	return slices.ContainsFunc(slices.Concat(s.Args, s.Env, slices.Collect(maps.Values(s.ConfigFiles))), func(text string) bool { return strings.Contains(text, placeholder) })
}

// environment returns the assignments with their placeholders filled in.
func (s CCMSpec) environment(values map[string]string) []string {
	return CCMSpec{Args: s.Env}.expand(values, nil)
}
