package server

import (
	"net"
	"net/http"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// garbles reports whether a fault makes something else of the call's answer.
func (c *call) garbles() bool { return c.hit != nil && c.hit.Garbles() }

// spoil makes of an answer what the fault wants, and returns what the journal says of it.
func (c *call) spoil(kept *keptAnswer) error {
	answer := fault.Answer{Status: kept.status, Media: kept.header.Get("Content-Type"), Body: kept.body}
	c.hit.Garble(&answer)
	kept.status, kept.body = answer.Status, answer.Body
	kept.header["Content-Type"] = nil // none, instead of a guess
	if answer.Media != "" {
		kept.header.Set("Content-Type", answer.Media)
	}
	kept.header.Del("Content-Length")
	if answer.Status != http.StatusNoContent && answer.Status != http.StatusNotModified {
		kept.header.Set("Content-Length", strconv.Itoa(len(answer.Body)))
	}
	return simcloud.Errorf(simcloud.Unavailable, c.resource, "the answer was garbled (%s)", c.hit.Fault)
}

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
