package service

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// Code is an error of a service: its status, and the type or key that tells it from others, if the service has one.
type Code struct {
	Status int
	Type   string
}

// Error implements error: it is the cause of an error that has a code of OpenStack's own.
func (c Code) Error() string { return c.Type }

// Refuse returns an error with a code of OpenStack's own; code is what the journal has.
func Refuse(code simcloud.Code, its Code, format string, args ...any) error {
	return &simcloud.Error{Code: code, Message: fmt.Sprintf(format, args...), Err: its}
}

// Codes are the errors that a service has for those of the cloud: Ended decides before General.
type Codes struct {
	General map[simcloud.Code]Code
	// Ended has the codes that certain operations of the cloud end in.
	Ended map[Ended]Code
	// Missing has the types of errors for what is not found, by what the operation of the cloud is about.
	Missing map[simcloud.Kind]string
	// Fields has the names of the attributes that fields of the cloud come from.
	Fields map[string]string
}

// Ended is an operation of the cloud and the code that it ended in.
type Ended struct {
	Operation string
	Code      simcloud.Code
}

// Problem is an error as a service writes it.
type Problem struct {
	Code
	Message string
}

// Problem returns the error that a client gets.
func (s *Service) Problem(p edge.Problem) Problem {
	code := s.codeOf(p)
	if p.Status != 0 {
		code.Status = p.Status
	}
	return Problem{code, s.message(p)}
}

func (s *Service) codeOf(p edge.Problem) Code {
	var own Code
	if errors.As(p.Err.Err, &own) {
		return own
	}
	if code, ok := s.Codes.Ended[Ended{p.Endpoint.Operation, p.Err.Code}]; ok {
		return code
	}
	code, ok := s.Codes.General[p.Err.Code]
	if !ok {
		code = s.Codes.General[simcloud.Internal]
	}
	if named, ok := s.Codes.Missing[p.Endpoint.Kind()]; ok && p.Err.Code == simcloud.NotFound {
		code.Type = named
	}
	return code
}

// message is what the client is told.
func (s *Service) message(p edge.Problem) string {
	if p.Err.Code == simcloud.Internal && !p.Injected {
		return "An internal error has occurred"
	}
	if len(p.Err.Fields) == 0 {
		return cmp.Or(p.Err.Message, string(p.Err.Code))
	}
	var texts []string
	for _, f := range p.Err.Fields {
		texts = append(texts, s.Codes.attribute(f.Field)+": "+f.Detail)
	}
	return strings.Join(texts, "; ")
}

// optionRE finds the option that a field of the cloud is about.
var optionRE = regexp.MustCompile(`options\[([^\]]+)\]`)

// attribute is the attribute of a request that a field of the cloud comes from, such as listeners[0].protocol_port for
// listeners[0].port.
func (c Codes) attribute(field string) string {
	if name, ok := c.Fields[field]; ok {
		return name
	}
	if option := optionRE.FindStringSubmatch(field); option != nil {
		name, _, _ := strings.Cut(option[1], "#") // a long value is in several options
		return optionRE.ReplaceAllLiteralString(field, strings.ReplaceAll(name, "-", "_"))
	}
	at := strings.LastIndex(field, "].")
	list, last := "", field
	if at >= 0 {
		list, last = field[:at+len("].")], field[at+len("]."):]
	}
	last, index, indexed := strings.Cut(last, "[")
	last = cmp.Or(c.Fields[last], last)
	if indexed {
		last += "[" + index
	}
	return list + last
}

// Unauthorized is what every service but Keystone answers to a request without a session that is good: not
// the service writes it, but what stands before it.
func Unauthorized(message string) any {
	return map[string]any{"error": map[string]any{"code": http.StatusUnauthorized, "title": "Unauthorized", "message": message}}
}
