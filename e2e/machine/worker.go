package machine

import (
	"context"
	"errors"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// worker does what one machine is told, one task after the other, in the
// order in which it was told. So a stop and a start that follow each other are
// a stop and a start, however long the boot before them takes.
type worker struct {
	machines *Set
	name     string

	// Set.mu guards these.
	queue   []task
	wake    chan struct{}
	abort   context.CancelFunc // ends the boot that runs
	machine Status

	// These belong to the goroutine that runs the worker.
	node  Node
	held  hold
	spec  HollowSpec
	ended <-chan struct{} // of node; nil when that is no news
	ctx   context.Context
}

// task is one thing to do.
type task struct {
	do func(*worker)
	// aborts is whether a boot that is still running when the task arrives is in vain.
	aborts bool
}

func newWorker(m *Set, name string) *worker {
	return &worker{machines: m, name: name, wake: make(chan struct{}, 1), machine: Status{Name: name}}
}

func (w *worker) enqueueLocked(t task) {
	w.queue = append(w.queue, t)
	if t.aborts && w.abort != nil {
		w.abort()
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run works until ctx is done, or until the machine is off and nothing is left to do.
func (w *worker) run(ctx context.Context) {
	w.ctx = ctx
	defer func() { w.report(w.powerOff()) }()
	for {
		for {
			t, left := w.next(ctx)
			if !left {
				break
			}
			t.do(w)
		}
		if w.retire() {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-w.ended:
			w.endedByItself()
		case <-w.wake:
		}
	}
}

func (w *worker) next(ctx context.Context) (task, bool) {
	w.machines.mu.Lock()
	defer w.machines.mu.Unlock()
	if len(w.queue) == 0 || ctx.Err() != nil {
		return task{}, false
	}
	t := w.queue[0]
	w.queue = w.queue[1:]
	return t, true
}

// retire ends the worker of a machine that is off. Under the lock no task can be given to it meanwhile.
func (w *worker) retire() bool {
	w.machines.mu.Lock()
	defer w.machines.mu.Unlock()
	if len(w.queue) > 0 || w.machine.State != "" {
		return false
	}
	if w.machines.workers[w.name] == w {
		delete(w.machines.workers, w.name)
	}
	return true
}

// update changes what List shows of the machine.
func (w *worker) update(change func(*Status)) {
	w.machines.mu.Lock()
	defer w.machines.mu.Unlock()
	change(&w.machine)
	close(w.machines.changed)
	w.machines.changed = make(chan struct{})
}

// obey does what the cloud wants of the machine.
func (w *worker) obey(o order) {
	if o.stays {
		w.report(w.discard(o.discard))
		return
	}
	if w.node != nil && w.machine.Instance == o.want.instance && !o.reboot && o.want.power != powerOff {
		w.report(w.hold(holdOf(o.want.power)))
		return
	}
	w.report(w.powerOff())
	w.report(w.discard(o.discard))
	switch o.want.power {
	case powerOn:
		w.report(w.powerOn(o.want))
	case powerPaused, powerCut: // it never ran; it will when it may
		w.update(func(m *Status) { m.Instance, m.State = o.want.instance, Frozen })
	case powerOff:
	}
}

// report makes an error of the machine visible. An aborted boot is not one: the
// task that aborted it says what is next.
func (w *worker) report(err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	w.machines.log.Error("a machine failed", "machine", w.name, "error", err)
	w.update(func(m *Status) { m.State, m.Error = Failed, err.Error() })
}

// powerOn boots the machine and returns when it runs.
func (w *worker) powerOn(want want) error {
	if len(want.mistakes) > 0 {
		return fmt.Errorf("boot the instance %s: %w", want.instance, want.mistakes[0])
	}
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	w.update(func(m *Status) {
		m.Instance, m.Hollow = want.instance, want.hollow
		m.State, m.Error = Booting, ""
		w.machines.boots[w.name]++
		m.Boots = w.machines.boots[w.name]
		if len(w.queue) > 0 && w.queue[0].aborts {
			cancel()
		}
		w.abort = cancel
	})
	w.spec = want.spec
	if !want.hollow {
		w.machines.noteDisk(w.name, want.instance)
	}
	node, err := w.machines.boot(ctx, want.spec, want.hollow)
	w.update(func(m *Status) {
		w.abort = nil
		if err == nil {
			m.State = Running
		}
	})
	if err != nil {
		return fmt.Errorf("boot %s: %w", w.name, err)
	}
	w.node, w.ended, w.held = node, node.Done(), hold{}
	w.machines.log.Info("a machine is up", "machine", w.name, "instance", want.instance, "light", want.hollow)
	return nil
}

// powerOff kills the machine and returns when it is gone.
func (w *worker) powerOff() error {
	err := w.end()
	w.update(func(m *Status) { m.Instance, m.Hollow, m.State, m.Error = "", false, "", "" })
	return err
}

// end kills the node, if there is one. List shows what became of the machine
// only afterwards: who sees there that it is down may rely on it.
func (w *worker) end() error {
	node := w.node
	w.node, w.ended = nil, nil
	if node == nil {
		return nil
	}
	w.machines.log.Info("a machine goes down", "machine", w.name)
	if err := node.Kill(); err != nil {
		return fmt.Errorf("kill %s: %w", w.name, err)
	}
	return nil
}

func (w *worker) endedByItself() {
	w.node, w.ended = nil, nil
	w.report(fmt.Errorf("%s ended by itself; its log says why", w.name))
}

// bootAgain boots the machine outside of the cloud's orders.
func (w *worker) bootAgain(ctx context.Context, spec HollowSpec, hollow bool) error {
	if w.node != nil {
		return simcloud.Errorf(simcloud.InUse, "machine/"+w.name, "it is %s already", w.machine.State)
	}
	down := w.machine.State == Killed || w.machine.State == Failed
	if down && len(spec.Labels) == 0 {
		spec, hollow = w.spec, w.machine.Hollow
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := w.powerOn(want{power: powerOn, instance: w.machine.Instance, hollow: hollow, spec: spec})
	w.report(err)
	return err
}

// kill ends the node, and only that: the cloud still wants the machine.
func (w *worker) kill() error {
	if w.node == nil {
		return w.down("kill")
	}
	err := w.end()
	w.update(func(m *Status) { m.State = Killed })
	return err
}

func (w *worker) down(verb string) error {
	return simcloud.Errorf(simcloud.Conflict, "machine/"+w.name, "cannot %s it: it is not running (%s)", verb, w.machine.State)
}
