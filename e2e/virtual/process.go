// Package virtual runs a function of this program as if it were a process of its own: what its goroutines log
// through klog goes to the process's log, what would end a process ends it alone, and its end is awaited down to the
// last goroutine. It works inside of a testing/synctest bubble too.
package virtual

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"unsafe"
)

// Process is a function and all goroutines that it starts, directly or not.
type Process struct {
	id     string
	labels unsafe.Pointer

	logging sync.Mutex // guards log
	log     io.Writer

	ended sync.Once
	done  chan struct{}
	err   error // set before done is closed
}

// ErrKilled is the cause of the end of a process that was killed: nothing that it does leaves it any more.
var ErrKilled = errors.New("the process was killed")

// Start calls main in a goroutine of its own. The log gets what a process writes to its standard error, and must not wait
// for simulated time. [Prepare] must have been called.
func Start(log io.Writer, main func() error) *Process {
	p := &Process{log: log, done: make(chan struct{})}
	joined := make(chan struct{})
	go func() {
		defer p.Recover()
		p.join()
		close(joined)
		p.end(main())
	}()
	<-joined
	return p
}

// Recover ends the process with the panic of its goroutine, if there is one. It is to be deferred in goroutines that client-go's
// HandleCrash does not watch.
func (p *Process) Recover() {
	if value := recover(); value != nil {
		p.end(p.panicked(value, ""))
	}
}

// panicked writes what the runtime prints of a panic that no one recovers.
func (p *Process) panicked(value any, note string) error {
	_, _ = fmt.Fprintf(p, "panic: %v%s\n\n%s\n", value, note, debug.Stack())
	return fmt.Errorf("panic: %v", value)
}

// end is the end of the process, if it has not ended already.
func (p *Process) end(err error) {
	p.ended.Do(func() {
		p.err = err
		close(p.done)
	})
}

// Done is closed when main has returned, or when something has ended the process: a panic that client-go's HandleCrash
// observes, or klog.Fatal. The goroutines of the process go on until what they wait for tells them to end: see [Process.Wait].
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the process ended: nil when main returned nil. It may be called when Done is closed.
func (p *Process) Err() error { return p.err }

// Write appends to the process's log. What is written after the end of the process is dropped.
func (p *Process) Write(text []byte) (int, error) {
	p.logging.Lock()
	defer p.logging.Unlock()
	select {
	case <-p.done:
		return len(text), nil
	default:
	}
	if _, err := p.log.Write(text); err != nil {
		return 0, fmt.Errorf("write the log: %w", err)
	}
	return len(text), nil
}
