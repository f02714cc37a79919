package manager

import (
	"regexp"
	"slices"
	"strings"
)

var assignmentRE = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// splitEnvironment takes the assignments off the front of a command's words, as a shell does.
func splitEnvironment(words []string) (env, command []string) {
	first := slices.IndexFunc(words, func(word string) bool { return !assignmentRE.MatchString(word) })
	if first < 0 {
		first = len(words)
	}
	return words[:first], words[first:]
}

// has reports whether the command gets a placeholder, as an argument or in its environment.
func (s CCMSpec) has(placeholder string) bool {
	return slices.ContainsFunc(slices.Concat(s.Args, s.Env), func(text string) bool { return strings.Contains(text, placeholder) })
}

// environment returns the assignments with their placeholders filled in.
func (s CCMSpec) environment(values map[string]string) []string {
	return CCMSpec{Args: s.Env}.expand(values, nil)
}
