package simcloud

import "strings"

// Glob reports whether text matches a pattern, in which * stands for any text.
// The empty pattern matches everything.
func Glob(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, head)
	if !ok {
		return false
	}
	parts := strings.Split(rest, "*")
	tail := parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return strings.HasSuffix(text, tail)
}
