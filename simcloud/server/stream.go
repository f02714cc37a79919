package server

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/openapi"
)

// stream checks a request and returns what it is to be answered with.
type stream func(*http.Request) (iter.Seq2[message, error], error)

// streaming is how one stream is answered, and what it looks like on the wire.
type streaming struct {
	open  stream
	shape openapi.Shape
}

// streamOf is a stream of messages that are Ts.
func streamOf[T any](open stream, query ...openapi.Parameter) streaming {
	return streaming{open, openapi.Shape{Response: reflect.TypeFor[T](), Status: http.StatusOK, Query: query, Stream: true}}
}

// message is one server-sent event.
type message struct {
	id   uint64
	data any
}

// encodedEvents is a cloud that has the JSON of its events, once for all streams.
type encodedEvents interface {
	WatchEncodedEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.EncodedEvent, error]
	WatchAllEncodedEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.EncodedEvent, error]
}

// watchEvents is the stream of changes.
func (s *server) watchEvents(r *http.Request) (iter.Seq2[message, error], error) {
	after, err := resume(r, readQuery(r))
	if err != nil {
		return nil, err
	}
	if cloud, ok := s.API.(encodedEvents); ok {
		return messages(cloud.WatchEncodedEvents(r.Context(), after), encodedMessage), nil
	}
	return messages(s.API.WatchEvents(r.Context(), after), eventMessage), nil
}

// watchAllEvents is the stream of changes in all projects.
func (s *server) watchAllEvents(r *http.Request) (iter.Seq2[message, error], error) {
	after, err := resume(r, readQuery(r))
	if err != nil {
		return nil, err
	}
	if cloud, ok := s.Control.(encodedEvents); ok {
		return messages(cloud.WatchAllEncodedEvents(r.Context(), after), encodedMessage), nil
	}
	return messages(s.Control.WatchAllEvents(r.Context(), after), eventMessage), nil
}

func eventMessage(e simcloud.Event) message { return message{e.Revision, e} }

func encodedMessage(e simcloud.EncodedEvent) message { return message{e.Revision, encoded(e.JSON)} }

// watchJournal is the stream of calls.
func (s *server) watchJournal(r *http.Request) (iter.Seq2[message, error], error) {
	filter, err := journalFilter(r)
	if err != nil {
		return nil, err
	}
	if last, err := lastEventID(r); err != nil {
		return nil, err
	} else if last > 0 {
		filter.After = last
	}
	return messages(s.Journal.WatchJournal(r.Context(), filter), func(e simcloud.JournalEntry) message { return message{e.Seq, e} }), nil
}

// resume is where the client wants to go on: a browser repeats the last id that it has seen.
func resume(r *http.Request, q *query) (uint64, error) {
	after := q.number("after")
	if err := q.err(); err != nil {
		return 0, err
	}
	last, err := lastEventID(r)
	return max(after, last), err
}

func lastEventID(r *http.Request) (uint64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, invalidField("Last-Event-ID", "%q is not a number", text)
	}
	return n, nil
}

func messages[T any](seq iter.Seq2[T, error], of func(T) message) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		for v, err := range seq {
			if !yield(of(v), err) {
				return
			}
		}
	}
}

// streamed is the adapter between streams and HTTP.
func (s *server) streamed(e simcloud.Endpoint, open stream) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := s.begin(w, r, e)
		c.lasts = true
		defer c.leave()
		err := guarded(func() error {
			authenticated, err := c.authenticated(r)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithCancel(authenticated.Context())
			defer cancel()
			seq, err := c.bentStream(w, authenticated.WithContext(ctx), open)
			if err != nil || seq == nil {
				return err
			}
			return s.send(ctx, cancel, w, c.id, c.whileGood(seq))
		})
		if errors.Is(err, fault.ErrDrop) {
			c.end(r.Context(), 0, err)
			drop(w)
			return
		}
		c.endStream(w, r, err)
	})
}

// endStream records how a stream has ended, and answers where none has begun.
func (c *call) endStream(w http.ResponseWriter, r *http.Request, err error) {
	kept := keep(w)
	switch {
	case errors.Is(err, errStreamed):
		c.end(r.Context(), c.problem(err).Status, err)
		return
	case err != nil:
		c.problem(err).write(kept)
	case c.garbles():
		err = c.spoil(kept)
	default:
		c.end(r.Context(), http.StatusOK, nil)
		return
	}
	c.end(r.Context(), kept.status, err)
	kept.send(w)
}

// whileGood is the stream until the token ends, by its time or because somebody revokes it.
func (c *call) whileGood(seq iter.Seq2[message, error]) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		for m, err := range seq {
			if err == nil {
				err = c.again()
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

// errStreamed marks an error that the client has been told within the stream.
var errStreamed = errors.New("told within the stream")

// send writes the messages until the client has gone, the cloud closes, or seq
// ends in an error, which is the stream's last message.
func (s *server) send(ctx context.Context, cancel context.CancelFunc, w http.ResponseWriter, requestID string, seq iter.Seq2[message, error]) error {
	s.metrics.streams.Inc()
	defer s.metrics.streams.Dec()
	out := newEventWriter(w, s.EventLimit)
	if out.comment("simcloud") != nil {
		return nil
	}
	err := s.relay(ctx, cancel, out, seq)
	if err == nil || errors.Is(err, fault.ErrDrop) {
		return err
	}
	_ = out.problem(newProblem(err, requestID)) // the client may have gone by now
	return errors.Join(errStreamed, err)
}

// relay writes what seq yields, and heartbeats while it yields nothing. It
// returns when the goroutine that reads seq has ended; nil when the client has gone.
func (s *server) relay(ctx context.Context, cancel context.CancelFunc, out *eventWriter, seq iter.Seq2[message, error]) (err error) {
	next := make(chan message)
	var failed error
	go func() {
		defer close(next)
		failed = guarded(func() error { return forward(ctx, seq, next) })
	}()
	defer func() {
		cancel()
		for range next { // until the reader has seen the end of ctx
		}
		if err == nil {
			err = failed
		}
	}()
	tick := time.NewTicker(s.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case m, ok := <-next:
			if !ok {
				return closing(ctx)
			}
			if out.message(m) != nil {
				return nil
			}
		case <-tick.C:
			if out.comment("heartbeat") != nil {
				return nil
			}
		}
	}
}

// forward hands on what seq yields.
func forward(ctx context.Context, seq iter.Seq2[message, error], next chan<- message) error {
	for m, err := range seq {
		if err != nil {
			return err
		}
		select {
		case next <- m:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// closing is the last word of a stream that the cloud ends; nil when the client has.
func closing(ctx context.Context) error {
	var e *simcloud.Error
	if errors.As(context.Cause(ctx), &e) {
		return e
	}
	return nil
}

// eventWriter writes server-sent events, each at once.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
	buf     bytes.Buffer
}

func newEventWriter(w http.ResponseWriter, limit time.Duration) *eventWriter {
	unlimited(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	return &eventWriter{w: w, control: http.NewResponseController(w), limit: limit}
}

func (e *eventWriter) comment(text string) error {
	e.buf.WriteString(": " + text + "\n\n")
	return e.flush()
}

func (e *eventWriter) message(m message) error {
	e.buf.WriteString("id: " + strconv.FormatUint(m.id, 10) + "\n")
	return e.data(m.data)
}

func (e *eventWriter) problem(p problem) error {
	e.buf.WriteString("event: problem\n")
	return e.data(p)
}

// data writes v, which has no line break as JSON, and ends the message.
func (e *eventWriter) data(v any) error {
	raw, err := marshal(v)
	if err != nil {
		return err
	}
	e.buf.WriteString("data: ")
	e.buf.Write(raw)
	e.buf.WriteString("\n\n")
	return e.flush()
}

func (e *eventWriter) flush() error {
	defer e.buf.Reset()
	_ = e.control.SetWriteDeadline(time.Now().Add(e.limit)) // without deadlines a slow client is not cut off
	if _, err := e.w.Write(e.buf.Bytes()); err != nil {
		return err
	}
	return e.control.Flush()
}
