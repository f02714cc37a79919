package service

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// Code is an error of a service: its code and its status; 0 means 400.
type Code struct {
	Code   string
	Status int
}

// Codes are the errors that a service has for those of the cloud. The first of the tables
// that has an error decides: Named, Ended, then Missing, then General.
type Codes struct {
	General map[simcloud.Code]Code
	// Missing has the codes for what is not found, by what the operation of the cloud is about.
	Missing map[simcloud.Kind]string
	// Ended has the codes that certain operations of the cloud end in.
	Ended map[Ended]Code
	// Named has the codes that certain actions end in, by their names in the journal.
	Named map[Ended]Code
	// Requests has those for requests that cannot be read.
	Requests map[query.Kind]Code
	// Fields has the names of the parameters that fields of the cloud come from.
	Fields map[string]string
}

// Ended is an operation of the cloud, or an action, and the code that it ended in.
type Ended struct {
	Operation string
	Code      simcloud.Code
}

// Expired stands in the tables for an Unauthenticated error of a caller whose token has come to its end.
const Expired simcloud.Code = "expired"

// refusal is the cause of an error that has a code of AWS' own.
type refusal Code

// Error implements error.
func (r refusal) Error() string { return r.Code }

// Refuse returns an error with a code of AWS' own and the status 400; code is what the journal has.
func Refuse(code simcloud.Code, awss, format string, args ...any) error {
	return refuseAs(code, Code{Code: awss}, format, args...)
}

// refuseAs is Refuse with a status.
func refuseAs(code simcloud.Code, awss Code, format string, args ...any) error {
	return &simcloud.Error{Code: code, Message: fmt.Sprintf(format, args...), Err: refusal(awss)}
}

// NoToken is the error for a request without a token: of the status that AWS' common errors have for it.
func NoToken(format string, args ...any) error {
	return refuseAs(simcloud.Unauthenticated, Code{"MissingAuthenticationToken", http.StatusForbidden}, format, args...)
}

// dryRun is the error for a request that would have been tried: the caller may make it, and it can be read.
func dryRun() error {
	return &simcloud.Error{
		Code: simcloud.Conflict, Message: "Request would have succeeded, but DryRun flag is set.", Err: refusal{"DryRunOperation", http.StatusPreconditionFailed},
	}
}

// Problem is an error as a service writes it.
type Problem struct {
	Code
	Message string
}

// OfService is whether the service is at fault, not the sender.
func (p Problem) OfService() bool { return p.Status >= http.StatusInternalServerError }

// Problem returns the error that a client gets.
func (s *Service) Problem(p edge.Problem) Problem {
	code := s.codeOf(p)
	code.Status = cmp.Or(p.Status, code.Status, http.StatusBadRequest)
	return Problem{code, s.message(p)}
}

func (s *Service) codeOf(p edge.Problem) Code {
	var own refusal
	var unreadable query.Kind
	switch {
	case errors.As(p.Err.Err, &own):
		return Code(own)
	case errors.As(p.Err.Err, &unreadable):
		return s.Codes.Requests[unreadable]
	}
	code := p.Err.Code
	if errors.Is(p.Err.Err, simcloud.ErrTokenExpired) {
		code = Expired
	}
	if code, ok := s.Codes.Named[Ended{p.Name, code}]; ok {
		return code
	}
	if code == Expired {
		return s.Codes.General[Expired]
	}
	if code, ok := s.Codes.Ended[Ended{p.Endpoint.Operation, p.Err.Code}]; ok {
		return code
	}
	if name, ok := s.Codes.Missing[p.Endpoint.Kind()]; ok && p.Err.Code == simcloud.NotFound {
		return Code{Code: name}
	}
	if code, ok := s.Codes.General[p.Err.Code]; ok {
		return code
	}
	return s.Codes.General[simcloud.Internal]
}

// message is what the client is told. It always has a text, without which the SDK repeats the code.
func (s *Service) message(p edge.Problem) string {
	if p.Err.Code == simcloud.Internal && !p.Injected {
		return "An internal error has occurred"
	}
	if len(p.Err.Fields) == 0 {
		return cmp.Or(p.Err.Message, string(p.Err.Code))
	}
	var texts []string
	for _, f := range p.Err.Fields {
		texts = append(texts, cmp.Or(s.Codes.Fields[f.Field], f.Field)+": "+f.Detail)
	}
	return strings.Join(texts, "; ")
}
