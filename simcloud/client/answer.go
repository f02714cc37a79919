package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const (
	mediaJSON    = "application/json"
	mediaProblem = "application/problem+json"
	mediaStream  = "text/event-stream"
)

const (
	maxAnswer  = 512 << 20 // bytes of a success; a whole state can be large
	maxProblem = 1 << 20   // bytes of an error
)

// problem is the wire form of an error, by RFC 9457.
type problem struct {
	Detail       string                `json:"detail"`
	Code         simcloud.Code         `json:"code"`
	Resource     string                `json:"resource"`
	RetryAfterMS int64                 `json:"retry_after_ms"`
	RequestID    string                `json:"request_id"`
	Errors       []simcloud.FieldError `json:"errors"`
}

// err rebuilds the error that the cloud had.
func (p problem) err() error {
	wait := time.Duration(min(max(p.RetryAfterMS, 0), maxRetryAfter.Milliseconds())) * time.Millisecond
	return &simcloud.Error{
		Code: p.Code, Resource: p.Resource, Message: p.Detail, Fields: p.Errors,
		RetryAfter: wait, RequestID: p.RequestID,
	}
}

// refusal reads the answer that is not a success. Only our media type and a code make it the cloud's word.
func refusal(r *request, res *http.Response) error {
	body, err := readLimited(res.Body, maxProblem)
	if err != nil {
		return notOurs(r, res, body, err)
	}
	var p problem
	switch {
	case mediaType(res) != mediaProblem:
		return notOurs(r, res, body, errors.New("no problem of ours"))
	case json.Unmarshal(body, &p) != nil:
		return notOurs(r, res, body, errors.New("no JSON"))
	case p.Code == "":
		return notOurs(r, res, body, errors.New("a problem without a code"))
	}
	return p.err()
}

// readAnswer reads the body of a success.
func readAnswer(r *request, res *http.Response) ([]byte, error) {
	body, err := readLimited(res.Body, maxAnswer)
	switch {
	case err != nil:
		return nil, notOurs(r, res, body, err)
	case mediaType(res) != mediaJSON:
		return nil, notOurs(r, res, body, errors.New("no JSON of ours"))
	}
	return body, nil
}

func readLimited(body io.Reader, limit int64) ([]byte, error) {
	var buf bytes.Buffer
	n, err := buf.ReadFrom(io.LimitReader(body, limit+1))
	if err == nil && n > limit {
		err = fmt.Errorf("more than %d bytes", limit)
	}
	return buf.Bytes(), err
}

func mediaType(res *http.Response) string {
	media, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

// notOurs is the error for an answer that another server gave, or that was cut
// on its way. It is Unavailable whatever the status: nothing is known of the resource.
func notOurs(r *request, res *http.Response, body []byte, why error) error {
	code := simcloud.Unavailable
	var slow interface{ Timeout() bool }
	if errors.As(why, &slow) && slow.Timeout() {
		code = simcloud.Timeout
	}
	return simcloud.Errorf(code, "", "%s: the answer %d from %s is not the cloud's (%s%s): %w",
		r.endpoint.Operation, res.StatusCode, res.Request.URL.Host, or(mediaType(res), "no media type"), excerpt(body), why)
}

// excerpt shows the beginning of a body in one line.
func excerpt(body []byte) string {
	const size = 60
	line := strings.Join(strings.FieldsFunc(string(body[:min(len(body), 4*size)]), func(c rune) bool {
		return unicode.IsSpace(c) || !unicode.IsPrint(c)
	}), " ")
	if line == "" {
		return ""
	}
	if runes := []rune(line); len(runes) > size {
		line = string(runes[:size]) + "…"
	}
	return fmt.Sprintf(", %q", line)
}
