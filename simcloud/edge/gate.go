package edge

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// How much is read of callers that are not known yet: so many bodies at once, each of so many bytes. Only logins need that, whose
// credential is in their body.
const (
	MaxStrangers    = 128
	MaxStrangerBody = 64 << 10
)

// BodyReader is a codec that reads bodies before it is known who calls.
type BodyReader interface {
	// CredentialInBody reports whether a request may have its credential in its body. The body of any other request whose
	// credential is not good is never read.
	CredentialInBody(r *http.Request) bool
}

// errStranger is the end of a body that is not read. The caller is told that it is not known.
var errStranger = errors.New("the caller is not known")

// gate lets bodies be read by whom they are of.
type gate struct {
	io.ReadCloser

	edge    *Edge
	codec   Codec
	request *http.Request // as it came
	// open is whether all of the body may be read, and decided whether that or err is known.
	open, decided bool
	err           error
	stranger      bool   // whether it takes one of MaxStrangers
	read          int    // by a stranger
	place         *place // that a known caller has until its operation is known
	ended         bool   // whether there is no more of it
}

// Read reads on, when the caller may send a body.
func (g *gate) Read(p []byte) (int, error) {
	if !g.decided {
		g.decide()
	}
	if g.err != nil {
		return 0, g.err
	}
	if g.open {
		n, err := g.ReadCloser.Read(p)
		g.ended = g.ended || err != nil
		return n, err
	}
	n, err := g.ReadCloser.Read(p[:min(len(p), MaxStrangerBody-g.read+1)])
	g.ended = g.ended || err != nil
	if g.read += n; g.read > MaxStrangerBody {
		g.err = &http.MaxBytesError{Limit: MaxStrangerBody}
		return 0, g.err
	}
	return n, err
}

// decide finds out who sends the body: it is read before the call is authenticated.
func (g *gate) decide() {
	g.decided = true
	secret, err := g.codec.Credential(g.request)
	if err == nil {
		caller, unknown := g.edge.Auth.Authenticate(g.request.Context(), secret)
		if unknown == nil {
			g.enter(caller)
			return
		}
	}
	if reader, ok := g.codec.(BodyReader); !ok || !reader.CredentialInBody(g.request) {
		g.err = errStranger
		return
	}
	g.admitStranger()
}

// enter takes one of the caller's places, so that a token has no more bodies under way than requests.
func (g *gate) enter(caller simcloud.Caller) {
	kind := place{token: caller.Token}
	if !g.edge.places.take(kind, g.edge.Requests) {
		g.err = fullOf(g.edge.Requests, "requests")
		return
	}
	g.place, g.open = &kind, true
}

// matched gives the place back: the call takes its own when its operation is known.
func (g *gate) matched() {
	if g != nil && g.place != nil {
		g.edge.places.free(*g.place)
		g.place = nil
	}
}

// known lets the whole body be read: the call is authenticated.
func (g *gate) known() {
	if g != nil {
		g.open, g.decided, g.err = true, true, nil
	}
}

// unknown lets the beginning be read of what needs no credential.
func (g *gate) unknown() {
	if g != nil && !g.decided {
		g.decided = true
		g.admitStranger()
	}
}

// admitStranger takes one of the places of those that are not known.
func (g *gate) admitStranger() {
	if g.stranger = g.edge.places.take(place{stranger: true}, MaxStrangers); !g.stranger {
		g.err = &simcloud.Error{
			Code: simcloud.RateLimited, RetryAfter: fullRetry,
			Message: fmt.Sprintf("%d logins are under way, the most that the cloud reads at once", MaxStrangers),
		}
	}
}

// end gives back what the body has taken.
func (g *gate) end() {
	g.matched()
	if g != nil && g.stranger {
		g.stranger = false
		g.edge.places.free(place{stranger: true})
	}
}

// restLimit is how long a client may take to send the rest of a body that no one reads.
const restLimit = time.Second

// answered bounds how long the connection waits for a body that is not read. A client that is refused gets the answer before it has
// sent the rest.
func (g *gate) answered(w http.ResponseWriter, status int) {
	if g == nil || g.ended {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(restLimit)) // a test's writer has none
	if status >= http.StatusBadRequest {
		w.Header().Set("Connection", "close")
	}
}
