package edge

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// garbles reports whether the fault makes something else of the call's answer.
func (c *call) garbles() bool { return c.hit != nil && c.hit.Garbles() }

// garble makes of an answer what the fault wants, and returns what the journal says of it.
func (c *call) garble(buffered *bufferedResponse, problem bool) error {
	answer := fault.Answer{
		Status: buffered.status, Media: buffered.header.Get("Content-Type"), Body: buffered.body,
		Garbled: func(body []byte, text string) []byte { return c.codec.Garble(body, problem, text) },
	}
	c.hit.Garble(&answer)
	buffered.status, buffered.body = answer.Status, answer.Body
	buffered.header["Content-Type"] = nil // none, instead of a guess
	if answer.Media != "" {
		buffered.header.Set("Content-Type", answer.Media)
	}
	buffered.header.Del("Content-Length")
	if answer.Status != http.StatusNoContent && answer.Status != http.StatusNotModified {
		buffered.header.Set("Content-Length", strconv.Itoa(len(answer.Body)))
	}
	return simcloud.Errorf(simcloud.Unavailable, c.resource, "the answer was garbled (%s)", c.hit.Fault)
}

// ReplaceTexts returns a JSON body with text in place of every text of that name,
// wherever it is; what is not JSON stays as it is.
func ReplaceTexts(body []byte, name, text string) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return body
	}
	replace(v, name, text)
	changed, err := json.Marshal(v)
	if err != nil {
		return body
	}
	return append(changed, '\n')
}

func replace(v any, name, text string) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if _, isText := value.(string); isText && key == name {
				v[key] = text
				continue
			}
			replace(value, name, text)
		}
	case []any:
		for _, value := range v {
			replace(value, name, text)
		}
	}
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
