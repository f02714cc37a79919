package edge

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// sentBody is the body of a request, which keeps its beginning for the journal while it is read.
type sentBody struct {
	*gate

	size  int
	start []byte // at most simcloud.BodyLimit bytes
}

// keepBody lets the beginning of a request's body be kept, and the body be read by whom it is of; nil for a request without one.
func (e *Edge) keepBody(codec Codec, r *http.Request) *sentBody {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	body := &sentBody{gate: &gate{ReadCloser: r.Body, edge: e, codec: codec, request: r}}
	r.Body = body
	return body
}

// who is the gate of the body; nil for none.
func (b *sentBody) who() *gate {
	if b == nil {
		return nil
	}
	return b.gate
}

// Read reads on, and keeps what belongs to the beginning.
func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.gate.Read(p)
	b.size += n
	b.start = append(b.start, p[:min(n, simcloud.BodyLimit-len(b.start))]...)
	return n, err
}

// exchange is what the call has sent and got, for the journal. The request comes
// first: what is secret in it is secret in the answer too.
func (c *call) exchange(r *http.Request, answer []byte) *simcloud.Exchange {
	e := &simcloud.Exchange{}
	if c.sent != nil && c.sent.size > 0 {
		e.Sent = c.body(r.Header, c.sent.start, c.sent.size)
	}
	e.Request = clip(c.redactor.Text(r.Method + " " + c.redactor.Query(r.URL.EscapedPath())))
	if r.URL.RawQuery != "" {
		e.Request = clip(e.Request + "?" + c.redactor.Query(r.URL.RawQuery))
	}
	if ctx := r.Context(); len(answer) > 0 && (ctx.Err() == nil || Closing(ctx) != nil) {
		e.Got = c.body(c.header, answer[:min(len(answer), simcloud.BodyLimit)], len(answer))
	}
	return e
}

// body is what the journal keeps of a body of that size, of which the beginning is here.
func (c *call) body(header http.Header, start []byte, size int) *simcloud.Body {
	return &simcloud.Body{
		Type: c.redactor.Text(clip(header.Get("Content-Type"))), Size: size, Text: c.redactor.Body(start, size > len(start)), Cut: size > len(start),
	}
}
