// Package strictjson says in the cloud's words what strict decoding has found.
package strictjson

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	strict "sigs.k8s.io/json"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Text refuses JSON whose strings are not Unicode: bytes that are not UTF-8,
// and surrogates without their other half. Decoders put U+FFFD for both, so the
// cloud would keep something else than it was sent.
func Text(raw []byte) error {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return fmt.Errorf("it is not UTF-8 (byte %d)", i)
		case r == '\\':
			if size = escapeSize(raw[i:]); size == 0 {
				return fmt.Errorf("%s is half of a character: a surrogate pair is needed (byte %d)", raw[i:i+6], i)
			}
		}
		i += size
	}
	return nil
}

// escapeSize returns how many bytes the escape has that raw begins with; 0 for half a surrogate pair.
func escapeSize(raw []byte) int {
	first := codeUnit(raw)
	switch {
	case !utf16.IsSurrogate(first):
		return min(len(raw), 2)
	case utf16.DecodeRune(first, codeUnit(raw[6:])) == unicode.ReplacementChar:
		return 0
	default:
		return 12
	}
}

// codeUnit reads an escape such as \u00e4; 0 for another one.
func codeUnit(raw []byte) rune {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(unit)
}

// Fields names the fields that should not be there, by their paths: the
// strict errors of UnmarshalStrict of sigs.k8s.io/json. An error that names no
// field is one about whole.
func Fields(wrong []error, whole string) []simcloud.FieldError {
	var fields []simcloud.FieldError
	for _, err := range wrong {
		field := simcloud.FieldError{Field: whole, Detail: err.Error()}
		var named strict.FieldError
		if errors.As(err, &named) {
			field.Field = named.FieldPath()
			field.Detail, _, _ = strings.Cut(err.Error(), ` "`) // "unknown field", "duplicate field"
		}
		fields = append(fields, field)
	}
	return fields
}
