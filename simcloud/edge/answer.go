package edge

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// serve is the one adapter between handlers and HTTP: it authenticates,
// calls, makes the reply or the problem, records the call, and sends the
// answer only then: who has it finds the call in the journal.
func (c *call) serve(w http.ResponseWriter, r *http.Request) {
	defer c.forgotten()
	defer c.leave()
	var reply Reply
	err := guarded(func() error {
		authenticated, err := c.authenticated(r)
		if err != nil {
			return err
		}
		handle := c.op.Handle
		if c.op.Waits {
			Unlimited(w)
			handle = c.waiting(handle)
		}
		reply, err = c.applyFault(w, authenticated, handle)
		return err
	})
	if errors.Is(err, fault.ErrDrop) {
		c.end(r, 0, nil, err)
		drop(w)
		return
	}
	buffered := buffer(w)
	err = c.answer(buffered, reply, err)
	c.edge.metrics.observe(c.endpoint.Operation, time.Since(c.begun))
	c.end(r, buffered.status, buffered.body, err)
	c.sent.who().answered(w, buffered.status)
	buffered.send(w)
}

// waiting is a handler whose wait ends with the token. Whether that is good is
// asked as often as a silent stream says that it lives, and at the end of the wait.
func (c *call) waiting(handle Handler) Handler {
	return func(r *http.Request) (Reply, error) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		go c.endWithToken(ctx, cancel)
		reply, err := handle(r.WithContext(ctx))
		if ended := c.again(); ended != nil {
			return Reply{}, ended
		}
		return reply, err
	}
}

// endWithToken calls end when the token is not good any more, unless ctx is done before.
func (c *call) endWithToken(ctx context.Context, end func()) {
	tick := time.NewTicker(c.edge.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if c.again() != nil {
				end()
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// answer makes the reply or the problem, unless a fault garbles it, and returns
// the error that the caller gets.
func (c *call) answer(buffered *bufferedResponse, reply Reply, err error) error {
	if err != nil {
		c.codec.WriteProblem(buffered, c.problem(err))
	} else {
		c.codec.WriteReply(buffered, reply)
	}
	if c.garbles() {
		return c.garble(buffered, err != nil)
	}
	return err
}

// Unlimited takes the server's time-outs off a request that may last.
func Unlimited(w http.ResponseWriter) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // a writer without deadlines has no time-outs either
	_ = control.SetWriteDeadline(time.Time{})
}

// bufferedResponse is an answer that is not sent yet. Its headers are those of what it will be sent to.
type bufferedResponse struct {
	header http.Header
	status int
	body   []byte
}

func buffer(w http.ResponseWriter) *bufferedResponse { return &bufferedResponse{header: w.Header()} }

func (b *bufferedResponse) Header() http.Header    { return b.header }
func (b *bufferedResponse) WriteHeader(status int) { b.status = status }

func (b *bufferedResponse) Write(body []byte) (int, error) {
	b.body = append(b.body, body...)
	return len(body), nil
}

func (b *bufferedResponse) send(w http.ResponseWriter) {
	w.WriteHeader(b.status)
	_, _ = w.Write(b.body) // a client that has gone is not our concern, nor a status that has no body
}
