package edge

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// serveStream is the adapter between streams and HTTP.
func (c *call) serveStream(w http.ResponseWriter, r *http.Request) {
	defer c.leave()
	err := guarded(func() error {
		authenticated, err := c.authenticated(r)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(authenticated.Context())
		defer cancel()
		seq, err := c.applyFaultToStream(w, authenticated.WithContext(ctx), c.op.Stream)
		if err != nil || seq == nil {
			return err
		}
		return c.send(ctx, cancel, w, c.whileGood(seq))
	})
	if errors.Is(err, fault.ErrDrop) {
		c.end(r, 0, nil, err)
		drop(w)
		return
	}
	c.endStream(w, r, err)
}

// endStream records how a stream has ended, and answers where none has begun.
func (c *call) endStream(w http.ResponseWriter, r *http.Request, err error) {
	if err == nil && !c.garbles() {
		c.end(r, http.StatusOK, nil, nil)
		return
	}
	if errors.Is(err, errStreamed) {
		c.end(r, c.written(err).status, nil, err)
		return
	}
	buffered := buffer(w)
	if err != nil {
		c.codec.WriteProblem(buffered, c.problem(err))
	} else {
		err = c.garble(buffered, false)
	}
	c.end(r, buffered.status, buffered.body, err)
	c.sent.who().answered(w, buffered.status)
	buffered.send(w)
}

// written is the problem as the codec writes it, without being sent.
func (c *call) written(err error) *bufferedResponse {
	written := &bufferedResponse{header: http.Header{}}
	c.codec.WriteProblem(written, c.problem(err))
	return written
}

// whileGood is the stream until the token ends, by its time or because it is revoked.
func (c *call) whileGood(seq iter.Seq2[Message, error]) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
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
func (c *call) send(ctx context.Context, cancel context.CancelFunc, w http.ResponseWriter, seq iter.Seq2[Message, error]) error {
	c.edge.metrics.streams.Inc()
	defer c.edge.metrics.streams.Dec()
	out := newEventWriter(w, c.edge.EventLimit)
	if out.comment("simcloud") != nil {
		return nil
	}
	err := c.relay(ctx, cancel, out, seq)
	if err == nil || errors.Is(err, fault.ErrDrop) {
		return err
	}
	_ = out.problem(c.written(err).body) // the client may have gone by now
	return errors.Join(errStreamed, err)
}

// relay writes what seq yields, and heartbeats while it yields nothing. It
// returns when the goroutine that reads seq has ended; nil when the client has gone.
func (c *call) relay(ctx context.Context, cancel context.CancelFunc, out *eventWriter, seq iter.Seq2[Message, error]) (err error) {
	next := make(chan Message)
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
	tick := time.NewTicker(c.edge.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case m, ok := <-next:
			if !ok {
				return Closing(ctx)
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
func forward(ctx context.Context, seq iter.Seq2[Message, error], next chan<- Message) error {
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

// eventWriter writes server-sent events, each at once.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
	buf     bytes.Buffer
}

func newEventWriter(w http.ResponseWriter, limit time.Duration) *eventWriter {
	Unlimited(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	return &eventWriter{w: w, control: http.NewResponseController(w), limit: limit}
}

func (e *eventWriter) comment(text string) error {
	e.buf.WriteString(": " + text + "\n\n")
	return e.flush()
}

func (e *eventWriter) message(m Message) error {
	e.buf.WriteString("id: " + strconv.FormatUint(m.ID, 10) + "\n")
	return e.data(m.Data)
}

func (e *eventWriter) problem(body []byte) error {
	e.buf.WriteString("event: problem\n")
	return e.data(bytes.TrimSuffix(body, []byte("\n")))
}

// data writes one line, and ends the message.
func (e *eventWriter) data(line []byte) error {
	e.buf.WriteString("data: ")
	e.buf.Write(line)
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
