package fault

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Garble puts an answer in the place of the cloud's that is not the cloud's,
// as a proxy does. The operation happens.
type Garble struct {
	// Status is the HTTP status of the answer; 0 means the one that belongs to the body.
	Status int `json:"status,omitempty"`
	// Body is what the answer has for a body.
	Body Body `json:"body"`
}

// Body is what a garbled answer has for a body.
type Body string

// The bodies.
const (
	BodyHTML        Body = "html"         // a proxy's page, with 502
	BodyEmpty       Body = "empty"        // nothing, with 200
	BodyNull        Body = "null"         // JSON that is null, with 200
	BodyTruncated   Body = "truncated"    // the first half of the cloud's answer
	BodyUnknownEnum Body = "unknown-enum" // the cloud's answer with unknown states, or an unknown code
	BodyBare404     Body = "bare-404"     // a 404 that is no problem of ours
)

func (g *Garble) check(f *fields, path string) {
	oneOf(f, path+".body", g.Body, []Body{BodyHTML, BodyEmpty, BodyNull, BodyTruncated, BodyUnknownEnum, BodyBare404})
	switch {
	case g.Status == 0:
	case g.Body == BodyBare404 && g.Status != http.StatusNotFound:
		f.add(path+".status", "%d cannot be set with bare-404: leave it out", g.Status)
	case g.Status < 200 || g.Status > 599:
		f.add(path+".status", "%d is not in 200 to 599", g.Status)
	}
}

func (*Garble) example() Rule {
	return Rule{Match: Match{Operation: "GetInstance"}, When: When{Every: 3}, Effect: Effect{Garble: &Garble{Body: BodyBare404}}}
}

// fits: a stream has no answer that could be cut or changed.
func (g *Garble) fits(e simcloud.Endpoint) bool {
	return !isWatch(e) || g.Body != BodyTruncated && g.Body != BodyUnknownEnum
}

func (*Garble) of() string { return "all but Watch*" }

const mediaJSON = "application/json"

// proxyPage is what a proxy says when what is behind it does not answer.
const proxyPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n" +
	"<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n"

// unheardOf is a state, or a code, that no cloud has.
const unheardOf = "unheard-of"

func (g *Garble) garble(a *Answer) {
	switch g.Body {
	case BodyHTML:
		*a = Answer{Status: http.StatusBadGateway, Media: "text/html", Body: []byte(proxyPage)}
	case BodyEmpty:
		*a = Answer{Status: http.StatusOK, Media: mediaJSON}
	case BodyNull:
		*a = Answer{Status: http.StatusOK, Media: mediaJSON, Body: []byte("null\n")}
	case BodyTruncated:
		a.Body = a.Body[:len(a.Body)/2]
	case BodyUnknownEnum:
		if a.Garbled != nil {
			a.Body = a.Garbled(a.Body, unheardOf)
		}
	case BodyBare404:
		*a = Answer{Status: http.StatusNotFound}
	}
	if g.Status != 0 {
		a.Status = g.Status
	}
}
