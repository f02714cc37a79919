package e2e

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Machine is a machine as Machines.List shows it.
type Machine struct {
	// Name is the hostname of the VM, or the name that it was booted with.
	Name string `json:"name"`
	// Instance is the VM; empty for a machine without one.
	Instance simcloud.ID  `json:"instance,omitempty"`
	Light    bool         `json:"light,omitempty"`
	State    MachineState `json:"state"`
	// Error says why the state is MachineFailed.
	Error string `json:"error,omitempty"`
	// Boots counts how often this name was booted since the cluster was started or reset.
	Boots int `json:"boots"`
}

// MachineState is where a machine is in its life. A machine that is off is not listed.
type MachineState string

// The states of a machine.
const (
	MachineBooting MachineState = "booting"
	MachineRunning MachineState = "running"
	MachineFrozen  MachineState = "frozen"
	MachineKilled  MachineState = "killed" // by Machines.Kill, while its VM runs on
	MachineFailed  MachineState = "failed" // it did not boot, or ended by itself
	// MachinePartitioned is one that runs and is cut off the network.
	MachinePartitioned MachineState = "partitioned"
)

// cloudAPI is what machines read of the cloud.
type cloudAPI interface {
	ListInstances(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error)
	WatchEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error]
}

// bootFunc boots a machine.
type bootFunc func(ctx context.Context, spec LightSpec, light bool) (Node, error)

// Machines runs one machine for each instance of the cloud that is up: the
// name of its Node is the instance's hostname. An instance that stops or goes
// takes its machine with it, as a power cut would; nobody touches the Node object.
type Machines struct {
	cloud cloudAPI
	boot  bootFunc
	// discard deletes the disk of a machine, cut and join take one off the network
	// and bring it back: nil where that cannot be done.
	discard, cut, join func(ctx context.Context, name string) error
	log                *slog.Logger

	mu      sync.Mutex // guards what follows, and the fields of the workers
	workers map[string]*worker
	disks   map[string]simcloud.ID // whose disk the machine of a name has, on or off
	boots   map[string]int         // of each name; its worker does not live as long
	changed chan struct{}          // closed and replaced whenever a machine changes
	stop    context.CancelFunc
	run     context.Context
	running sync.WaitGroup
}

func newMachines(cloud cloudAPI, boot bootFunc, log *slog.Logger) *Machines {
	return &Machines{cloud: cloud, boot: boot, log: log, changed: make(chan struct{}), disks: map[string]simcloud.ID{}}
}

// start begins to follow the cloud.
func (m *Machines) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.run, m.stop = context.WithCancel(context.Background())
	m.workers, m.boots = map[string]*worker{}, map[string]int{}
	run := m.run
	m.running.Go(func() { m.follow(run) })
}

// close kills all machines and returns when they are gone.
func (m *Machines) close() {
	m.mu.Lock()
	stop := m.stop
	m.mu.Unlock()
	if stop == nil {
		return
	}
	stop()
	m.running.Wait()
}

// restart kills all machines, with their disks, and follows the cloud anew, as it is now.
func (m *Machines) restart(ctx context.Context) error {
	m.close()
	err := m.discardAll(ctx)
	m.start()
	return err
}

// List returns the machines that are not off, by name.
func (m *Machines) List() []Machine {
	list, _ := m.listAndWatch()
	return list
}

func (m *Machines) listAndWatch() ([]Machine, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []Machine
	for _, name := range slices.Sorted(maps.Keys(m.workers)) {
		if w := m.workers[name]; w.machine.State != "" {
			list = append(list, w.machine)
		}
	}
	return list, m.changed
}

// Wait returns when the list of machines is as done wants it, and else the
// error of ctx with what the list is.
func (m *Machines) Wait(ctx context.Context, done func([]Machine) bool) error {
	for {
		list, changed := m.listAndWatch()
		if done(list) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the machines: %w; they are: %s", ctx.Err(), describe(list))
		}
	}
}

func describe(list []Machine) string {
	var parts []string
	for _, machine := range list {
		part := machine.Name + " " + string(machine.State)
		if machine.Error != "" {
			part += " (" + machine.Error + ")"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// Boot boots a machine that no instance asked for, or one that was killed. It
// returns when the machine runs.
func (m *Machines) Boot(ctx context.Context, spec NodeSpec, light bool) error {
	return m.bootSpec(ctx, LightSpec{NodeSpec: spec}, light)
}

// BootLight boots a light node of any shape.
func (m *Machines) BootLight(ctx context.Context, spec LightSpec) error {
	return m.bootSpec(ctx, spec, true)
}

func (m *Machines) bootSpec(ctx context.Context, spec LightSpec, light bool) error {
	if spec.Name == "" {
		return simcloud.InvalidFields("machine", []simcloud.FieldError{{Field: "name", Detail: "is empty: give the name of the Node"}})
	}
	return m.ask(ctx, spec.Name, true, func(w *worker) error { return w.bootAgain(ctx, spec, light) })
}

// Kill ends a machine at once, while its VM, if any, runs on. It stays down
// until it is booted or its VM is stopped and started.
func (m *Machines) Kill(name string) error {
	return m.ask(context.Background(), name, false, (*worker).kill)
}

// ask lets the worker of a machine do something in its turn, and waits for it.
func (m *Machines) ask(ctx context.Context, name string, mayCreate bool, do func(*worker) error) error {
	answer := make(chan error, 1)
	if !m.enqueue(name, mayCreate, task{do: func(w *worker) { answer <- do(w) }}) {
		return simcloud.Errorf(simcloud.NotFound, "machine/"+name, "no such machine; there are: %s", describe(m.List()))
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-m.done():
		return simcloud.Errorf(simcloud.Unavailable, "machine/"+name, "the machines are being shut down")
	}
}

func (m *Machines) done() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.run.Done()
}

// enqueue gives a task to the worker of a machine; false when there is none and none may be made.
func (m *Machines) enqueue(name string, mayCreate bool, t task) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.run == nil || m.run.Err() != nil {
		return false
	}
	w, ok := m.workers[name]
	if !ok {
		if !mayCreate {
			return false
		}
		w = newWorker(m, name)
		m.workers[name] = w
		run := m.run
		m.running.Go(func() { w.run(run) })
	}
	w.enqueueLocked(t)
	return true
}
