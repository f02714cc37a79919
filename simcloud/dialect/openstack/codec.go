// Package openstack is the wire format of OpenStack: the APIs of Keystone, Nova, Neutron and Octavia, each below a path of
// its own.
//
// It keeps nothing: ids are computed from those of the cloud, and what OpenStack knows and the cloud does not is an
// option of the resource, which the cloud keeps and does not interpret.
package openstack

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/keystone"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// name is what the dialect is called.
const name = "openstack"

// Codec translates OpenStack.
type Codec service.Backend

// Match implements edge.Codec.
func (c Codec) Match(r *http.Request) (edge.Operation, *http.Request) {
	mount, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, service.Root+"/"), "/")
	s := mounted(mount)
	if s == nil {
		return edge.Operation{
			Endpoint: simcloud.Endpoint{Operation: "Unknown", Method: http.MethodGet}, Dialect: name,
			Handle: func(r *http.Request) (edge.Reply, error) {
				return edge.Reply{}, service.Refuse(simcloud.Unimplemented, service.Code{Status: http.StatusNotFound}, "There is no service at %s", r.URL.Path)
			},
		}, r
	}
	op := s.Match(name, service.Backend(c), r, "/"+path)
	if keystone.IsAuthentication(r) {
		return c.authentication(op, r)
	}
	return op, r
}

// authentication is the operation of a request for a session, and the request with its credential. A body that cannot be
// read is refused by what reads it again.
func (c Codec) authentication(op edge.Operation, r *http.Request) (edge.Operation, *http.Request) {
	from, err := c.credential(r)
	if err != nil {
		op.Anonymous = true
		op.Handle = func(*http.Request) (edge.Reply, error) { return edge.Reply{}, err }
		return op, r
	}
	return op, service.WithCredential(r, from)
}

// CredentialInBody implements edge.BodyReader: a request for a session has it there.
func (Codec) CredentialInBody(r *http.Request) bool { return keystone.IsAuthentication(r) }

// credential is what the body of a request for a session has: a secret, a session that is to be renewed, or both of one caller.
func (c Codec) credential(r *http.Request) (from service.Session, err error) {
	secret, session, err := keystone.Credential(r)
	if err != nil || session == "" {
		return service.Session{Secret: secret}, err
	}
	from, err = service.ReadSession(c.SessionKey, session, service.Backend(c).Time())
	if err == nil && secret != "" && secret != from.Secret {
		err = keystone.Refused()
	}
	return from, err
}

// Credential implements edge.Codec. A session of no project is good at Keystone alone.
func (c Codec) Credential(r *http.Request) (string, error) {
	from, err := service.Backend(c).SessionOf(r)
	if err == nil && from.Unscoped && !strings.HasPrefix(r.URL.Path, service.Root+"/identity") {
		err = keystone.Refused()
	}
	return from.Secret, err
}

// SessionKey returns the key to sign sessions with that belongs to a secret of the cloud; a new one without a secret.
func SessionKey(secret string) []byte { return service.SessionKey(secret) }

// WriteReply implements edge.Codec.
func (Codec) WriteReply(w http.ResponseWriter, reply edge.Reply) {
	writeHeaders(w.Header())
	body := reply.Body
	if answer, ok := body.(service.Answer); ok {
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		body = answer.Body
	}
	if body == nil {
		w.WriteHeader(reply.Status)
		return
	}
	dialect.WriteJSON(w, reply.Status, body)
}

// WriteProblem implements edge.Codec.
func (Codec) WriteProblem(w http.ResponseWriter, p edge.Problem) {
	writeHeaders(w.Header())
	if p.Err.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(edge.Seconds(p.Err.RetryAfter)))
	}
	s := serviceOf(p.Name)
	problem := s.Problem(p)
	if problem.Status == http.StatusUnauthorized && s.Name != "keystone" {
		w.Header().Set("Www-Authenticate", `Keystone uri="`+service.Root+`/identity"`)
		dialect.WriteJSON(w, problem.Status, service.Unauthorized(problem.Message))
		return
	}
	dialect.WriteJSON(w, problem.Status, s.Envelope(problem))
}

// writeHeaders gives an answer the header that each answer of OpenStack has.
func writeHeaders(header http.Header) {
	header.Set("X-Openstack-Request-Id", header.Get("Simcloud-Request-Id"))
}

// Garble implements edge.Codec.
func (Codec) Garble(body []byte, problem bool, text string) []byte {
	if problem {
		return edge.ReplaceTexts(edge.ReplaceTexts(body, "type", text), "faultcode", text)
	}
	for _, key := range []string{"status", "provisioning_status", "operating_status"} {
		body = edge.ReplaceTexts(body, key, text)
	}
	return body
}

// WriteRate implements edge.RateWriter: OpenStack does not tell of its rates.
func (Codec) WriteRate(http.Header, edge.Allowance) {}
