package redact

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// forms are the other texts that show a secret: its base64 in both alphabets, wherever it begins in what is encoded, and its
// hexadecimal digits.
func forms(secret string) []string {
	var all []string
	add := func(form string) {
		if len(form) < shortest {
			return
		}
		for _, other := range all {
			if other == form {
				return
			}
		}
		all = append(all, form)
	}
	for before := range 3 {
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			add(inside(alphabet, secret, before))
		}
	}
	digits := hex.EncodeToString([]byte(secret))
	add(digits)
	add(strings.ToUpper(digits))
	return all
}

// inside is what the base64 of a text has in any case for a secret that is in the text behind so many bytes, modulo 3: the characters
// that no other byte has a part in.
func inside(alphabet *base64.Encoding, secret string, before int) string {
	const bits, of = 6, 8 // a character has 6 bits, and a byte 8
	encoded := alphabet.EncodeToString(append(make([]byte, before), secret...))
	from, to := (before*of+bits-1)/bits, (before+len(secret))*of/bits
	return encoded[min(from, to):to]
}

// mostEscaped is how often a text may be percent-encoded on top of itself.
const mostEscaped = 3

// withoutEscaped replaces what find finds in a text that has bytes as %XX: there is a secret in it in whatever way it is written.
// Find returns where something is to be replaced; from is below 0 for nothing.
func withoutEscaped(text string, find func(text string) (from, to int)) string {
	if !strings.Contains(text, "%") {
		return text
	}
	for shown := ""; ; {
		plain, at := []byte(text), offsets(len(text))
		from := -1
		for range mostEscaped {
			var changed bool
			if plain, at, changed = decoded(plain, at); !changed {
				break
			}
			var to int
			if from, to = find(string(plain)); from >= 0 {
				shown, text = shown+text[:at[from]]+Replacement, text[at[to]:]
				break
			}
		}
		if from < 0 {
			return shown + text
		}
	}
}

// offsets are those of the bytes of a text, and its end.
func offsets(n int) []int {
	at := make([]int, n+1)
	for i := range at {
		at[i] = i
	}
	return at
}

// decoded is a text with each %XX as its byte; at has where each byte was in the text that was there first.
func decoded(text []byte, at []int) (plain []byte, from []int, changed bool) {
	for i := 0; i < len(text); i++ {
		plain, from = append(plain, text[i]), append(from, at[i])
		if text[i] != '%' || i+2 >= len(text) {
			continue
		}
		if raw, err := hex.DecodeString(string(text[i+1 : i+3])); err == nil {
			plain[len(plain)-1], changed = raw[0], true
			i += 2
		}
	}
	return plain, append(from, at[len(text)]), changed
}
