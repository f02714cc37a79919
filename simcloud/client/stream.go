package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strconv"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// WatchEvents yields every event after a revision and then those to come. A
// stream that is cut ends in Unavailable: resume after the last event seen.
func (c *Client) WatchEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	return c.watchEvents(ctx, "WatchEvents", after)
}

// WatchAllEvents is WatchEvents of all projects, for admins.
func (c *Client) WatchAllEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	return c.watchEvents(ctx, "WatchAllEvents", after)
}

func (c *Client) watchEvents(ctx context.Context, operation string, after uint64) iter.Seq2[simcloud.Event, error] {
	query := url.Values{"after": {strconv.FormatUint(after, 10)}}
	return stream[simcloud.Event](ctx, c, operation, query)
}

// stream yields the messages of a stream until ctx is done, which is its good
// end; any other end is an error, the last thing that is yielded.
func stream[T any](ctx context.Context, c *Client, operation string, query url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		left := false
		err := c.follow(ctx, operation, query, func(data []byte) error {
			var v T
			if err := json.Unmarshal(data, &v); err != nil {
				return simcloud.Errorf(simcloud.Unavailable, "", "%s: a message is not the cloud's: %w", operation, err)
			}
			if left = !yield(v, nil); left {
				return errLeft
			}
			return nil
		})
		if !left && ctx.Err() == nil {
			yield(none, err)
		}
	}
}

// errLeft ends a stream whose reader has left the loop.
var errLeft = errors.New("the reader has left")

// follow opens a stream and hands each message to fn until one of them ends; the error is never nil.
func (c *Client) follow(ctx context.Context, operation string, query url.Values, fn func([]byte) error) error {
	req, err := newRequest(operation, nil)
	if err != nil {
		return err
	}
	req.query = query
	var last error
	begun := false
	err = c.authenticated(func(secret string) error {
		last = c.followOnce(ctx, req, secret, func(data []byte) error {
			begun = true
			return fn(data)
		})
		if begun { // not once more with another secret: what has been read would come again
			return nil
		}
		return last
	})
	if begun {
		return last
	}
	return err
}

func (c *Client) followOnce(ctx context.Context, r *request, secret string, fn func([]byte) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(c.silence, func() { cancel(fmt.Errorf("silent for %s", c.silence)) })
	defer watchdog.Stop()
	req, err := c.attempt(ctx, r, secret)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", mediaStream)
	res, err := c.http.Do(req)
	if err != nil {
		return cut(ctx, r, err)
	}
	defer func() { _ = res.Body.Close() }()
	switch {
	case !success(res):
		return refusal(r, res)
	case mediaType(res) != mediaStream:
		return notOurs(r, res, nil, errors.New("no stream"))
	}
	alive := func() { watchdog.Reset(c.silence) }
	return readMessages(res.Body, alive, fn, func(err error) error { return cut(ctx, r, err) })
}

// cut is the error for a stream that has ended: the cloud never ends one without a word.
func cut(ctx context.Context, r *request, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return simcloud.Errorf(simcloud.Unavailable, "", "%s: the stream was cut: %w", r.endpoint.Operation, err)
}

// maxMessage is the longest line of a stream, in bytes.
const maxMessage = 16 << 20

// readMessages reads server-sent events. The data of "problem" is the cloud's
// last word; comments only say that the stream lives.
func readMessages(body io.Reader, alive func(), fn func([]byte) error, cut func(error) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 4096), maxMessage)
	var m message
	for lines.Scan() {
		alive()
		if !m.add(lines.Bytes()) {
			continue
		}
		if m.event == "problem" {
			return m.problem(cut)
		}
		if err := fn(m.data); err != nil {
			return err
		}
		m = message{data: m.data[:0]}
	}
	err := lines.Err()
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return cut(err)
}

// message is one server-sent event.
type message struct {
	event string
	data  []byte
}

// add takes a line in and reports whether the message is complete: at an empty line with data before it.
func (m *message) add(line []byte) bool {
	name, value, found := cutField(line)
	switch {
	case len(line) == 0:
		return len(m.data) > 0
	case found && name == "event":
		m.event = value
	case found && name == "data":
		m.data = append(m.data, value...)
	}
	return false
}

func (m *message) problem(cut func(error) error) error {
	var p problem
	if err := json.Unmarshal(m.data, &p); err != nil || p.Code == "" {
		return cut(errors.New("a problem without a code"))
	}
	return p.err()
}

func cutField(line []byte) (name, value string, ok bool) {
	for i, b := range line {
		if b == ':' {
			value = string(line[i+1:])
			if len(value) > 0 && value[0] == ' ' {
				value = value[1:]
			}
			return string(line[:i]), value, i > 0
		}
	}
	return string(line), "", false
}
