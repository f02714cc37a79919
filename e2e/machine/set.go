package machine

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Status is a machine as Set.List shows it.
type Status struct {
	// Name is the hostname of the VM, or the name that it was booted with.
	Name string `json:"name"`
	// Instance is the VM; empty for a machine without one.
	Instance simcloud.ID `json:"instance,omitempty"`
	Hollow   bool        `json:"light,omitempty"`
	State    State       `json:"state"`
	// Error says why the state is Failed.
	Error string `json:"error,omitempty"`
	// Boots counts how often this name was booted since the cluster was started or reset.
	Boots int `json:"boots"`
}

// State is where a machine is in its life. A machine that is off is not listed.
type State string

// The states of a machine.
const (
	Booting State = "booting"
	Running State = "running"
	Frozen  State = "frozen"
	Killed  State = "killed" // by Set.Kill, while its VM runs on
	Failed  State = "failed" // it did not boot, or ended by itself
	// Partitioned is one that runs and is cut off the network.
	Partitioned State = "partitioned"
)

// Cloud is what machines read of the cloud.
type Cloud interface {
	ListInstances(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error)
	WatchEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error]
}

// BootFunc boots a machine, as a hollow node or with a kubelet.
type BootFunc func(ctx context.Context, spec HollowSpec, hollow bool) (Node, error)

// Config says where the machines are and how they run.
type Config struct {
	Cloud Cloud
	Boot  BootFunc
	// Discard deletes the disk of a machine. Cut takes a machine that is no hollow
	// node off the network, Join brings it back. Nil is what cannot be done.
	Discard, Cut, Join func(ctx context.Context, name string) error
	Log                *slog.Logger
}

// Set runs one machine for each instance of the cloud that is up: the
// name of its Node is the instance's hostname. An instance that stops or goes
// takes its machine with it, as a power cut would; the Node object stays as it is.
type Set struct {
	cloud              Cloud
	boot               BootFunc
	discard, cut, join func(ctx context.Context, name string) error // nil where that cannot be done
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

// New returns the machines of a cloud, which do not follow it before Start.
func New(c Config) *Set {
	return &Set{
		cloud: c.Cloud, boot: c.Boot, discard: c.Discard, cut: c.Cut, join: c.Join, log: c.Log,
		changed: make(chan struct{}), disks: map[string]simcloud.ID{},
	}
}

// Start begins to follow the cloud.
func (m *Set) Start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.run, m.stop = context.WithCancel(context.Background())
	m.workers, m.boots = map[string]*worker{}, map[string]int{}
	run := m.run
	m.running.Go(func() { m.follow(run) })
}

// Close kills all machines and returns when they are gone.
func (m *Set) Close() {
	m.mu.Lock()
	stop := m.stop
	m.mu.Unlock()
	if stop == nil {
		return
	}
	stop()
	m.running.Wait()
}

// Restart kills all machines, with their disks, and follows the cloud again, as it is now.
func (m *Set) Restart(ctx context.Context) error {
	m.Close()
	err := m.discardAll(ctx)
	m.Start()
	return err
}

// List returns the machines that are not off, by name.
func (m *Set) List() []Status {
	list, _ := m.listAndWatch()
	return list
}

func (m *Set) listAndWatch() ([]Status, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []Status
	for _, name := range slices.Sorted(maps.Keys(m.workers)) {
		if w := m.workers[name]; w.machine.State != "" {
			list = append(list, w.machine)
		}
	}
	return list, m.changed
}

// Wait returns when the list of machines is as done wants it, and else the
// error of ctx with what the list is.
func (m *Set) Wait(ctx context.Context, done func([]Status) bool) error {
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

func describe(list []Status) string {
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
func (m *Set) Boot(ctx context.Context, machine control.Machine) error {
	if machine.Name == "" {
		return simcloud.InvalidFields("machine", []simcloud.FieldError{{Field: "name", Detail: "is empty: give the name of the Node"}})
	}
	spec := HollowSpec{Spec: Spec{Name: machine.Name, Labels: machine.Labels}}
	if machine.Light {
		spec.ProviderID, spec.NodeIPs, spec.Initialized = machine.ProviderID, machine.NodeIPs, machine.Initialized
	}
	return m.ask(ctx, spec.Name, true, func(w *worker) error { return w.bootAgain(ctx, spec, machine.Light) })
}

// Kill ends a machine at once, while its VM, if any, runs on. It stays down
// until it is booted or its VM is stopped and started.
func (m *Set) Kill(name string) error {
	return m.ask(context.Background(), name, false, (*worker).kill)
}

// ask lets the worker of a machine do something in its turn, and waits for it.
func (m *Set) ask(ctx context.Context, name string, mayCreate bool, do func(*worker) error) error {
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

func (m *Set) done() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.run.Done()
}

// enqueue gives a task to the worker of a machine; false when there is none and none may be made.
func (m *Set) enqueue(name string, mayCreate bool, t task) bool {
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
