package redact

import "fmt"

// longestWord is how many letters and digits in a row may be no secret, in bytes.
const longestWord = 20

// plain returns a text of no known format: without its long words, any of which may
// be a secret, and not at all when it speaks of secrets.
func plain(body []byte) []byte {
	if showsKey(body) || speaksOfSecrets(body) {
		return fmt.Appendf(nil, "[redacted: %d bytes that are neither JSON nor XML nor a form]", len(body))
	}
	out := make([]byte, 0, len(body))
	for at := 0; at < len(body); {
		end := at
		for end < len(body) && wordly(body[end]) {
			end++
		}
		switch {
		case end-at > longestWord:
			out = append(out, Replacement...)
		case end == at:
			end++
			fallthrough
		default:
			out = append(out, body[at:end]...)
		}
		at = end
	}
	return out
}

// speaksOfSecrets reports whether a text has the name of a secret field anywhere.
func speaksOfSecrets(body []byte) bool {
	plain := make([]byte, 0, len(body))
	for _, c := range body {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			plain = append(plain, c)
		}
	}
	return contains(plain)
}

func wordly(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '_' || c == '-' || c == '='
}
