package virtual

import (
	"context"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"
)

// labelKey is the profiler label of the goroutines of a process. A goroutine has the labels of the one that started it,
// so what a process starts belongs to it, however deep. Goroutines of time.AfterFunc have none.
const labelKey = "virtual-process"

var (
	lastID    atomic.Int64
	processes sync.Map // *Process by the address of its goroutines' labels
)

// goroutineLabels returns the address of the labels of this goroutine. The runtime promises that it stays (go.dev/issue/67401).
//
//go:linkname goroutineLabels runtime/pprof.runtime_getProfLabel
func goroutineLabels() unsafe.Pointer

// Current returns the process that the calling goroutine belongs to; nil when it belongs to none.
func Current() *Process {
	p, _ := processes.Load(goroutineLabels())
	own, _ := p.(*Process)
	return own
}

// join makes the calling goroutine, and all that it starts from now on, part of the process.
func (p *Process) join() {
	p.id = strconv.FormatInt(lastID.Add(1), 10)
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(labelKey, p.id)))
	p.labels = goroutineLabels()
	processes.Store(p.labels, p)
}

// forget ends the attribution: what its goroutines log from now on is dropped, and their panics are this program's.
func (p *Process) forget() { processes.Delete(p.labels) }
