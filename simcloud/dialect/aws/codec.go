// Package aws is the wire format of AWS: the Query APIs of EC2 and of its load balancers, all at one
// path. A request names its service by the field Version of its form, and the operation by the field Action.
//
// It keeps nothing: what AWS knows and the cloud does not is derived, or is a label of the resource
// with a prefix that no client of the dialect sees or sets.
package aws

import (
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// name is what the dialect is called, and its path.
const name = "aws"

// Codec translates AWS.
type Codec struct {
	Cloud simcloud.API
	// Lifetime tells when the token of a caller ends; nil: that none does.
	Lifetime service.Lifetime
	// Config reads how the cloud behaves; nil: as a new one.
	Config service.Config
}

// Match implements edge.Codec.
func (c Codec) Match(r *http.Request) (edge.Operation, *http.Request) {
	if isCredentials(r) {
		return c.credentialsOperation(r), r
	}
	signed := ofSignature(r)
	if path := strings.TrimSuffix(r.URL.Path, "/"); path != "/"+name {
		return signed.Refusal(name, edge.RequestName(r), service.Refuse(simcloud.Unimplemented, "UnsupportedOperation", "The API has no path %s: it is at /%s", r.URL.Path, name)), r
	}
	if r.Method != http.MethodPost {
		return signed.Refusal(name, edge.RequestName(r), service.Refuse(simcloud.Unimplemented, "UnsupportedOperation", "The method %s is not simulated: must be POST", r.Method)), r
	}
	body, err := edge.Body(r)
	if err != nil {
		refused := signed.Refusal(name, edge.RequestName(r), unreadable(r, err))
		refused.Anonymous = errors.Is(err, simcloud.RateLimited) // by who is not known
		return refused, r
	}
	form, err := query.Parse(body)
	if err != nil {
		return signed.Refusal(name, edge.RequestName(r), err), r
	}
	for _, s := range services() {
		if s.Version == form.Version {
			if form.Action == service.WebIdentity {
				r = service.WithToken(r, form.Text("WebIdentityToken"))
			}
			return s.Serve(name, service.Backend(c), r, form), r
		}
	}
	return signed.Refusal(name, edge.RequestName(r), noVersion(form.Version)), r
}

// noVersion is the error for a request whose service is not known.
func noVersion(version string) error {
	var versions []string
	for _, s := range services() {
		versions = append(versions, s.Version+" ("+s.Name+")")
	}
	return service.Refuse(simcloud.Invalid, "NoSuchVersion", "The requested version (%.40q) does not exist: must be one of %s", version, strings.Join(versions, ", "))
}

// unreadable is the error for a body that did not arrive whole.
func unreadable(r *http.Request, err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, simcloud.RateLimited):
		return err
	case errors.As(err, &large):
		return service.Refuse(simcloud.Invalid, "MalformedQueryString", "The body has more than %d bytes", large.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded) && edge.Closing(r.Context()) != nil:
		return edge.Closing(r.Context())
	default:
		return service.Refuse(simcloud.Invalid, "MalformedQueryString", "The body did not arrive")
	}
}

// CredentialInBody implements edge.BodyReader: AssumeRoleWithWebIdentity has it there, and no signature. What is signed
// names its service in the header, in whose words a caller is refused.
func (Codec) CredentialInBody(r *http.Request) bool {
	_, err := service.TokenOf(r)
	return err != nil || len(service.ScopeOf(r)) <= scopeService
}

// Credential implements edge.Codec. A token of the cloud is the session token, or else the id of the
// access key.
func (Codec) Credential(r *http.Request) (string, error) {
	if isCredentials(r) {
		return credentialOf(r)
	}
	return service.TokenOf(r)
}

// scopeService is which part of the scope of a signature is its service.
const scopeService = 3

// ofSignature is the service that a request is signed for, in whose words it is refused when nothing else names
// one; EC2 when the signature does not either.
func ofSignature(r *http.Request) *service.Service {
	scope := service.ScopeOf(r)
	for _, s := range services() {
		if len(scope) > scopeService && s.Scope == scope[scopeService] {
			return s
		}
	}
	return services()[0]
}

// WriteReply implements edge.Codec.
func (Codec) WriteReply(w http.ResponseWriter, reply edge.Reply) {
	if issued, ok := reply.Body.(service.Credentials); ok {
		dialect.WriteJSON(w, reply.Status, issued)
		return
	}
	a := reply.Body.(service.Answer) //nolint:errcheck // each other handler answers one
	write(w, reply.Status, a.Service.Protocol.Reply(a.Service.Namespace, a.Action, requestID(w.Header()), a.Content))
}

// WriteProblem implements edge.Codec.
func (Codec) WriteProblem(w http.ResponseWriter, p edge.Problem) {
	s := serviceOf(p.Name)
	problem := s.Problem(p)
	if problem.Code.Code == "" { // it is a proxy that has waited
		w.WriteHeader(problem.Status)
		return
	}
	if s == credentials {
		writeCredentialsProblem(w, problem)
		return
	}
	write(w, problem.Status, s.Protocol.Problem(s.Namespace, problem.Code.Code, problem.Message, requestID(w.Header()), problem.OfService()))
}

// serviceOf is the service of an operation, by its name in the journal.
func serviceOf(operation string) *service.Service {
	prefix, _, _ := strings.Cut(operation, ":")
	for _, s := range append([]*service.Service{credentials}, services()...) {
		if s.Name == prefix {
			return s
		}
	}
	return services()[0]
}

// requestID is the id of the request, which the edge has put into the header.
func requestID(header http.Header) string { return header.Get("Simcloud-Request-Id") }

// write sends an answer. Its length is known before, so that a client sees when the answer was cut.
func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("X-Amzn-Requestid", requestID(w.Header()))
	w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone is not our concern
}

// Garble implements edge.Codec.
func (Codec) Garble(body []byte, problem bool, text string) []byte {
	return query.Garble(body, problem, text)
}

// WriteRate implements edge.RateWriter: AWS does not tell of its rates.
func (Codec) WriteRate(http.Header, edge.Allowance) {}
