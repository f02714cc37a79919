package edge

import (
	"fmt"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// The defaults of how much of each token may be under way at once.
const (
	DefaultStreams  = 1000
	DefaultRequests = 256
)

// fullRetry is after how long a caller may try again that had too much under
// way: when a place is free, only its own other calls decide.
const fullRetry = time.Second

// place is what a call takes one of while it is under way.
type place struct {
	token    simcloud.ID
	stream   bool // of those for streams and waits, which may last
	stranger bool // of those for bodies of callers that are not known
}

// places counts what is under way.
type places struct {
	mu    sync.Mutex
	taken map[place]int
}

func newPlaces() *places { return &places{taken: map[place]int{}} }

// take takes a place, unless so many are taken.
func (p *places) take(kind place, limit int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[kind] >= limit {
		return false
	}
	p.taken[kind]++
	return true
}

func (p *places) free(kind place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[kind]--; p.taken[kind] == 0 {
		delete(p.taken, kind)
	}
}

// entered takes the place of the call, until it leaves. The simulator's own
// calls need none, so that an admin can always look.
func (c *call) entered() error {
	if !ofCloud(c.endpoint) {
		return nil
	}
	kind := place{token: c.caller.Token, stream: c.lasts()}
	limit, what := c.edge.Requests, "requests"
	if kind.stream {
		limit, what = c.edge.Streams, "streams and waits"
	}
	if !c.edge.places.take(kind, limit) {
		return fullOf(limit, what)
	}
	c.place = &kind
	return nil
}

// fullOf is the error for a token that has as much under way as it may.
func fullOf(limit int, what string) error {
	return &simcloud.Error{
		Code: simcloud.RateLimited, RetryAfter: fullRetry,
		Message: fmt.Sprintf("the token has %d %s under way, the most that a token may have at once", limit, what),
	}
}

// leave frees the place of the call, if it has one.
func (c *call) leave() {
	if c.place != nil {
		c.edge.places.free(*c.place)
	}
}
