package store

import "sync"

// queue holds the calls that wait for the committer.
type queue struct {
	mu     sync.Mutex
	filled *sync.Cond
	calls  []*call
	closed bool
}

func (q *queue) init() { q.filled = sync.NewCond(&q.mu) }

// push reports whether the queue still takes calls.
func (q *queue) push(c *call) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.calls = append(q.calls, c)
	q.filled.Signal()
	return true
}

// wait returns the next call, or nil when the queue is closed and empty.
func (q *queue) wait() *call {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.calls) == 0 && !q.closed {
		q.filled.Wait()
	}
	if len(q.calls) == 0 {
		return nil
	}
	return q.take()
}

// poll returns the next call, unless there is none or it has to be alone.
func (q *queue) poll() *call {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.calls) == 0 || q.calls[0].alone {
		return nil
	}
	return q.take()
}

func (q *queue) take() *call {
	c := q.calls[0]
	q.calls[0] = nil
	q.calls = q.calls[1:]
	return c
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.filled.Broadcast()
}
