package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// unreadable are the statuses of Invalid that are more precise than its own:
// of bodies, and of heads.
func unreadable() []int {
	return []int{
		http.StatusBadRequest, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusRequestHeaderFieldsTooLarge,
	}
}

// addProblems makes a response for each status that errors have.
func (b *builder) addProblems() {
	byStatus := map[int][]Problem{}
	for _, p := range b.Problems {
		byStatus[p.Status] = append(byStatus[p.Status], p)
		if p.Code == simcloud.Invalid {
			for _, status := range unreadable() {
				byStatus[status] = append(byStatus[status], Problem{p.Code, status, http.StatusText(status)})
			}
		}
	}
	for status, problems := range byStatus {
		name := problemName(status)
		b.schemas[name] = b.problem(status, problems)
		b.doc.Components.Responses[name] = Response{
			Description: describe(problems), Headers: problemHeaders(status),
			Content: map[string]Media{mediaProblem: {Schema: &Schema{Ref: schemaPrefix + name}}},
		}
	}
}

func problemName(status int) string { return "Problem" + strconv.Itoa(status) }

// problem is the schema of the problems of one status: it narrows their codes.
func (b *builder) problem(status int, problems []Problem) *Schema {
	s := b.object(b.Problem)
	for i, p := range s.Properties {
		if p.Name == "code" {
			s.Properties[i].Schema = &Schema{Type: "string", Enum: codes(problems)}
		}
	}
	return s.with("A problem by RFC 9457, with the status " + strconv.Itoa(status) + ".")
}

func codes(problems []Problem) []string {
	var names []string
	for _, p := range problems {
		names = append(names, string(p.Code))
	}
	slices.Sort(names)
	return names
}

func describe(problems []Problem) string {
	var lines []string
	for _, p := range problems {
		lines = append(lines, string(p.Code)+": "+p.Title)
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

func problemHeaders(status int) map[string]Header {
	all := common()
	switch status {
	case http.StatusUnauthorized:
		all["WWW-Authenticate"] = Header{Ref: headerPrefix + "WWW-Authenticate"}
	case http.StatusLocked, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		all["Retry-After"] = Header{Ref: headerPrefix + "Retry-After"}
	}
	return all
}

// failures are the errors that an operation can end in; with a fault, any other too.
func (b *builder) failures(e simcloud.Endpoint) map[string]Response {
	all := map[string]Response{}
	for _, p := range b.Problems {
		all[strconv.Itoa(p.Status)] = Response{Ref: responsePrefix + problemName(p.Status)}
	}
	for _, status := range unreadable() {
		if e.Write() || status == http.StatusRequestHeaderFieldsTooLarge {
			all[strconv.Itoa(status)] = Response{Ref: responsePrefix + problemName(status)}
		}
	}
	if !e.Write() {
		delete(all, strconv.Itoa(http.StatusLocked))
	}
	return all
}
