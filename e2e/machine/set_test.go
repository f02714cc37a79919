package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// scriptedCloud is a cloud whose changes and failures the test decides on.
type scriptedCloud struct {
	mu        sync.Mutex
	instances []simcloud.Instance
	revision  uint64
	lists     int
	events    chan any // simcloud.Event or error
}

func newScriptedCloud() *scriptedCloud { return &scriptedCloud{events: make(chan any, 100)} }

func (c *scriptedCloud) ListInstances(context.Context, simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lists++
	return simcloud.Page[simcloud.Instance]{Items: slices.Clone(c.instances), Revision: c.revision}, nil
}

func (c *scriptedCloud) WatchEvents(ctx context.Context, _ uint64) iter.Seq2[simcloud.Event, error] {
	return func(yield func(simcloud.Event, error) bool) {
		for {
			select {
			case <-ctx.Done():
				yield(simcloud.Event{}, ctx.Err())
				return
			case next := <-c.events:
				if err, failed := next.(error); failed {
					yield(simcloud.Event{}, err)
					return
				}
				if !yield(next.(simcloud.Event), nil) {
					return
				}
			}
		}
	}
}

// set makes an instance as it is now and tells of it.
func (c *scriptedCloud) set(t *testing.T, id simcloud.ID, hostname string, state simcloud.InstanceState) {
	t.Helper()
	c.tell(t, instance(id, hostname, 0, state))
}

// tell tells of an instance as it is now; its version is the next one.
func (c *scriptedCloud) tell(t *testing.T, inst simcloud.Instance) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision++
	inst.Version = c.revision
	raw, err := json.Marshal(inst)
	if err != nil {
		t.Fatal(err)
	}
	c.events <- simcloud.Event{Revision: c.revision, Type: simcloud.Updated, Kind: simcloud.KindInstance, ID: inst.ID, Object: raw}
}

func unreachable(inst simcloud.Instance) simcloud.Instance {
	inst.Unreachable = true
	return inst
}

func (c *scriptedCloud) remove(id simcloud.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision++
	c.events <- simcloud.Event{Revision: c.revision, Type: simcloud.Deleted, Kind: simcloud.KindInstance, ID: id}
}

// yard records what happens to machines.
type yard struct {
	mu    sync.Mutex
	lines []string
	nodes map[string]*yardNode
	fail  error         // of the next boots
	hold  chan struct{} // when set, boots wait for it or for their context
	dying func()        // when set, a kill calls it before the machine is gone
}

func newYard() *yard { return &yard{nodes: map[string]*yardNode{}} }

func (y *yard) say(format string, args ...any) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.lines = append(y.lines, fmt.Sprintf(format, args...))
}

func (y *yard) said() []string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return slices.Clone(y.lines)
}

func (y *yard) boot(ctx context.Context, spec HollowSpec, hollow bool) (Node, error) {
	y.mu.Lock()
	fail, hold := y.fail, y.hold
	y.mu.Unlock()
	if fail != nil {
		return nil, fail
	}
	if hold != nil {
		y.say("booting %s", spec.Name)
		select {
		case <-hold:
		case <-ctx.Done():
			y.say("boot of %s aborted", spec.Name)
			return nil, ctx.Err()
		}
	}
	kind := "boot"
	if hollow {
		kind = "light boot"
	}
	y.say("%s %s", kind, spec.Name)
	n := &yardNode{yard: y, name: spec.Name, done: make(chan struct{})}
	y.mu.Lock()
	y.nodes[spec.Name] = n
	y.mu.Unlock()
	return n, nil
}

type yardNode struct {
	yard *yard
	name string
	once sync.Once
	done chan struct{}
}

func (n *yardNode) Stop(context.Context) error { return n.Kill() }
func (n *yardNode) Kill() error {
	n.once.Do(func() {
		if n.yard.dying != nil {
			n.yard.dying()
		}
		n.yard.say("kill %s", n.name)
		close(n.done)
	})
	return nil
}
func (n *yardNode) Freeze() error         { n.yard.say("freeze %s", n.name); return nil }
func (n *yardNode) Thaw() error           { n.yard.say("thaw %s", n.name); return nil }
func (n *yardNode) Done() <-chan struct{} { return n.done }

// startYard runs machines on a scripted cloud and checks in the end that none is left.
func startYard(t *testing.T) (*scriptedCloud, *yard, *Set) {
	t.Helper()
	cloud, y := newScriptedCloud(), newYard()
	m := New(Config{Cloud: cloud, Boot: y.boot, Log: slog.New(slog.DiscardHandler)})
	m.Start()
	t.Cleanup(func() {
		m.Close()
		for name, n := range y.nodes {
			select {
			case <-n.done:
			default:
				t.Errorf("%s still runs", name)
			}
		}
	})
	return cloud, y, m
}

// await waits until the machines are as told: "name state" each.
func await(t *testing.T, m *Set, want ...string) {
	t.Helper()
	ctx, cancel := waittest.Context(t)
	defer cancel()
	err := m.Wait(ctx, func(list []Status) bool {
		var got []string
		for _, machine := range list {
			got = append(got, machine.Name+" "+string(machine.State)+" "+string(machine.Instance))
		}
		return slices.Equal(got, want)
	})
	if err != nil {
		t.Fatalf("want %q: %v", want, err)
	}
}

func wantSaid(t *testing.T, y *yard, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, y.said()); diff != "" {
		t.Errorf("what happened (-want +got):\n%s", diff)
	}
}

func TestMachinesFollowTheCloud(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startYard(t)
		cloud.set(t, "i-1", "a", simcloud.InstancePending)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		cloud.set(t, "i-1", "a", simcloud.InstanceStopped)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		cloud.set(t, "i-2", "a", simcloud.InstanceRunning)
		cloud.remove("i-1")
		await(t, m, "a running i-2")
		cloud.remove("i-2")
		await(t, m)
		cloud.set(t, "i-3", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-3")
		if got := m.List()[0].Boots; got != 4 {
			t.Errorf("it was booted %d times, want 4", got)
		}
		wantSaid(t, y, "boot a", "kill a", "boot a", "kill a", "boot a", "kill a", "boot a")
	})
}

func TestMachineStopsDuringItsBoot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startYard(t)
		y.hold = make(chan struct{})
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a booting i-1")
		cloud.set(t, "i-1", "a", simcloud.InstanceStopped)
		await(t, m)
		wantSaid(t, y, "booting a", "boot of a aborted")
	})
}

// TestAMachineIsListedUntilItIsGone: who sees in the list that a machine is down may rely on it.
func TestAMachineIsListedUntilItIsGone(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*scriptedCloud, *Set) error{
		"its instance goes": func(cloud *scriptedCloud, _ *Set) error { cloud.remove("i-1"); return nil },
		"it is killed":      func(_ *scriptedCloud, m *Set) error { return m.Kill("a") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud, y, m := startYard(t)
			seen := make(chan string, 1)
			y.dying = func() { seen <- describe(m.List()) }
			cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
			await(t, m, "a running i-1")
			if err := end(cloud, m); err != nil {
				t.Fatal(err)
			}
			if got := <-seen; got != "a running" {
				t.Errorf("while it was being killed the list was %q, want %q", got, "a running")
			}
		})
	}
}

func TestMachinesAreSuspendedAndResumed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startYard(t)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		cloud.set(t, "i-1", "a", simcloud.InstanceSuspended)
		await(t, m, "a frozen i-1")
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		wantSaid(t, y, "boot a", "freeze a", "thaw a")
	})
}

// TestMachinesOfAZoneThatIsDown: they hold their place and say nothing until it is up again.
func TestMachinesOfAZoneThatIsDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startYard(t)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		cloud.set(t, "i-2", "b", simcloud.InstanceRunning)
		cloud.tell(t, unreachable(instance("i-1", "a", 0, simcloud.InstanceRunning)))
		await(t, m, "a frozen i-1", "b running i-2")
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1", "b running i-2")
		cloud.tell(t, unreachable(instance("i-1", "a", 0, simcloud.InstanceRunning)))
		cloud.set(t, "i-1", "a", simcloud.InstanceStopped)
		await(t, m, "b running i-2")
		ofA := slices.DeleteFunc(y.said(), func(line string) bool { return strings.HasSuffix(line, "b") })
		if diff := cmp.Diff([]string{"boot a", "freeze a", "thaw a", "freeze a", "kill a"}, ofA); diff != "" {
			t.Errorf("what happened to a (-want +got):\n%s", diff)
		}
	})
}

func TestMachinesListAgainAfterAConflict(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startYard(t)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		cloud.mu.Lock()
		cloud.instances = []simcloud.Instance{instance("i-2", "b", 50, simcloud.InstanceRunning)}
		cloud.revision = 60
		cloud.mu.Unlock()
		cloud.events <- simcloud.Errorf(simcloud.Conflict, "", "these events are gone")
		await(t, m, "b running i-2")
		if got := y.said(); !slices.Contains(got, "kill a") {
			t.Errorf("what happened: %q; a, which the list does not show, must be killed", got)
		}
	})
}

func TestMachinesResumeABrokenStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, _, m := startYard(t)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		cloud.events <- simcloud.Errorf(simcloud.Unavailable, "", "the connection broke")
		cloud.set(t, "i-2", "b", simcloud.InstanceRunning)
		await(t, m, "a running i-1", "b running i-2")
		if cloud.lists != 1 {
			t.Errorf("listed %d times: a broken stream goes on where it was", cloud.lists)
		}
	})
}

func TestAFailedBootIsVisible(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startYard(t)
		y.fail = errors.New("no such kernel")
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a failed i-1")
		if got := m.List()[0].Error; !strings.Contains(got, "no such kernel") || !strings.Contains(got, "boot a") {
			t.Errorf("error %q, want what was done and why it failed", got)
		}
		y.mu.Lock()
		y.fail = nil
		y.mu.Unlock()
		cloud.set(t, "i-1", "a", simcloud.InstanceStopped)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
	})
}

func TestAMachineThatEndsByItselfIsVisible(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startYard(t)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		if err := y.nodes["a"].Kill(); err != nil {
			t.Fatal(err)
		}
		await(t, m, "a failed i-1")
	})
}

func TestBootKillFreezeThaw(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startYard(t)
		ctx := t.Context()
		check := func(what string, err error, want error) {
			t.Helper()
			if !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", what, err, want)
			}
		}
		check("kill nothing", m.Kill("a"), simcloud.NotFound)
		check("boot nothing", m.Boot(ctx, control.Machine{}), simcloud.Invalid)
		check("boot", m.Boot(ctx, control.Machine{Name: "a", Light: true}), nil)
		check("boot again", m.Boot(ctx, control.Machine{Name: "a", Light: true}), simcloud.InUse)
		check("freeze", m.Freeze("a"), nil)
		await(t, m, "a frozen ")
		check("thaw", m.Thaw("a"), nil)
		check("kill", m.Kill("a"), nil)
		await(t, m, "a killed ")
		check("freeze what is down", m.Freeze("a"), simcloud.Conflict)
		check("boot what was killed", m.Boot(ctx, control.Machine{Name: "a"}), nil)
		await(t, m, "a running ")
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		wantSaid(t, y, "light boot a", "freeze a", "thaw a", "kill a", "light boot a", "kill a", "boot a")
	})
}

func TestRestartKillsWhatNoInstanceWants(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, _, m := startYard(t)
		if err := m.Boot(t.Context(), control.Machine{Name: "bare", Light: true}); err != nil {
			t.Fatal(err)
		}
		cloud.mu.Lock()
		cloud.instances = []simcloud.Instance{instance("i-1", "a", 1, simcloud.InstanceRunning)}
		cloud.mu.Unlock()
		if err := m.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		await(t, m, "a running i-1")
	})
}

func TestNothingBootsAfterClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, _, m := startYard(t)
		m.Close()
		if err := m.Boot(t.Context(), control.Machine{Name: "a", Light: true}); err == nil {
			t.Error("a machine booted after the end")
		}
	})
}
