package server

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// native is the cloud's own wire format: paths of the endpoints, tokens as Bearer,
// JSON, and problems by RFC 9457.
type native struct{ *routes }

// Credential reads the token of the Authorization header.
func (native) Credential(r *http.Request) (string, error) {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || secret == "" {
		return "", simcloud.Errorf(simcloud.Unauthenticated, "", "the header \"Authorization: Bearer <token>\" is missing")
	}
	return strings.TrimSpace(secret), nil
}

// WriteReply writes JSON, with the version of the resource as its ETag.
func (native) WriteReply(w http.ResponseWriter, reply edge.Reply) {
	if reply.Meta != nil {
		w.Header().Set("ETag", `"`+strconv.FormatUint(reply.Meta.Version, 10)+`"`)
	}
	writeJSON(w, reply.Status, "application/json", reply.Body)
}

// WriteProblem writes a problem by RFC 9457.
func (native) WriteProblem(w http.ResponseWriter, p edge.Problem) { newProblem(p).write(w) }

// Garble changes the states of resources, and the code of a problem.
func (native) Garble(body []byte, problem bool, text string) []byte {
	if problem {
		return edge.ReplaceTexts(body, "code", text)
	}
	return edge.ReplaceTexts(body, "state", text)
}

// subjectOf is what the body of a creation says of what is to be created.
func subjectOf(body []byte) fault.Subject {
	var spec fault.Subject
	if json.Unmarshal(body, &spec) != nil {
		return fault.Subject{}
	}
	return spec
}
