package manager

import (
	"io"
	"sync"
	"time"
)

// late is a stream whose parts come later than they came, in their order and at their distances.
type late struct {
	from io.ReadCloser
	wait func(came time.Time) error

	parts  chan part
	closed chan struct{}
	once   sync.Once
	reader sync.WaitGroup
	rest   []byte // of the part that is being read
}

// part is what came at once.
type part struct {
	data []byte
	came time.Time
	err  error
}

// mostHeld is how many parts wait at most; more stay where they come from.
const mostHeld = 4096

// delayed delays a stream: wait returns when the time has come for what came at a time.
func delayed(from io.ReadCloser, wait func(came time.Time) error) *late {
	h := &late{from: from, wait: wait, parts: make(chan part, mostHeld), closed: make(chan struct{})}
	h.reader.Go(h.readAll)
	return h
}

func (h *late) readAll() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := h.from.Read(buffer)
		select {
		case h.parts <- part{append([]byte(nil), buffer[:n]...), time.Now(), err}:
		case <-h.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// Read returns what came, when its time has come.
func (h *late) Read(p []byte) (int, error) {
	for len(h.rest) == 0 {
		var next part
		select {
		case next = <-h.parts:
		case <-h.closed:
			return 0, io.ErrClosedPipe
		}
		if len(next.data) == 0 && next.err != nil {
			h.parts <- next // whoever reads on meets it again
			return 0, next.err
		}
		if err := h.wait(next.came); err != nil {
			return 0, err
		}
		h.rest = next.data
		if next.err != nil {
			h.parts <- part{err: next.err}
		}
	}
	n := copy(p, h.rest)
	h.rest = h.rest[n:]
	return n, nil
}

// Close ends the stream and returns when nothing reads it any more.
func (h *late) Close() error {
	h.once.Do(func() { close(h.closed) })
	err := h.from.Close()
	h.reader.Wait()
	return err
}
