package query

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Kind is what is wrong with a request. It is the cause of an Invalid error, whose fields
// have the names of the wire.
type Kind string

// The kinds.
const (
	Malformed Kind = "malformed" // it is no form, or has bytes that no name or value can have
	Repeated  Kind = "repeated"  // a parameter is there twice
	Unknown   Kind = "unknown"   // the operation does not have the parameter
	Missing   Kind = "missing"   // the operation needs the parameter
	BadValue  Kind = "value"     // the value is not of the parameter's type
)

// Error implements error.
func (k Kind) Error() string { return string(k) }

// wrong is the error for one parameter.
func wrong(kind Kind, field, format string, args ...any) error {
	return &simcloud.Error{
		Code: simcloud.Invalid, Message: "the request has invalid parameters", Err: kind,
		Fields: []simcloud.FieldError{{Field: field, Detail: fmt.Sprintf(format, args...)}},
	}
}
