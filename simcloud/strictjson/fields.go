// Package strictjson says in the cloud's words what strict decoding has found.
package strictjson

import (
	"errors"
	"strings"

	strict "sigs.k8s.io/json"

	"github.com/simcloud-dev/simcloud/simcloud"
)

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
