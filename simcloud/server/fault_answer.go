package server

import (
	"bytes"
	"net"
	"net/http"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// spoiled sends what the fault makes of the answer that write gives, and
// returns its status and what the journal says of it.
func (c *call) spoiled(w http.ResponseWriter, write func(http.ResponseWriter)) (int, error) {
	kept := &keptAnswer{header: w.Header()}
	write(kept)
	answer := fault.Answer{Status: kept.status, Media: kept.header.Get("Content-Type"), Body: kept.body.Bytes()}
	c.hit.Garble(&answer)
	header := w.Header()
	header["Content-Type"] = nil // none, instead of a guess
	if answer.Media != "" {
		header.Set("Content-Type", answer.Media)
	}
	header.Del("Content-Length")
	if answer.Status != http.StatusNoContent && answer.Status != http.StatusNotModified {
		header.Set("Content-Length", strconv.Itoa(len(answer.Body)))
	}
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body) // a client that has gone is not our concern, nor a status that has no body
	return answer.Status, simcloud.Errorf(simcloud.Unavailable, c.resource, "the answer was garbled (%s)", c.hit.Fault)
}

// keptAnswer is an answer that is not sent yet.
type keptAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *keptAnswer) Header() http.Header            { return k.header }
func (k *keptAnswer) WriteHeader(status int)         { k.status = status }
func (k *keptAnswer) Write(body []byte) (int, error) { return k.body.Write(body) }

// drop ends the connection without an answer, so that the client sees a reset.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil { // HTTP/2 resets the stream alone
		panic(http.ErrAbortHandler)
	}
	for {
		inner, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		conn = inner.NetConn()
	}
	if tcp, ok := conn.(interface{ SetLinger(sec int) error }); ok {
		_ = tcp.SetLinger(0) // a reset instead of a good-bye
	}
	_ = conn.Close()
}
