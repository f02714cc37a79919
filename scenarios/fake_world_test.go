package scenarios

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeControls are the controls of a fake cluster. They note what they are told.
type fakeControls struct {
	ccm, standby *fakeCCM
	controls     *fakeControl
	pods         *fakePods
	noPackets    bool
}

func newFakeControls() fakeControls {
	return fakeControls{ccm: &fakeCCM{}, standby: &fakeCCM{}, controls: &fakeControl{}, pods: &fakePods{}}
}

// fakeControl controls the machines, the API and the cloud of a fake cluster.
type fakeControl struct {
	mu          sync.Mutex
	did         []string
	err         error
	cannotDelay bool
	// restarted is called when the cloud starts again.
	restarted func()
}

func (c *fakeControl) note(format string, args ...any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.did = append(c.did, fmt.Sprintf(format, args...))
	return c.err
}

func (c *fakeControl) said() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.did, ", ")
}

func (c *fakeControl) Boot(_ context.Context, spec MachineSpec) error {
	return c.note("boot %+v", spec)
}
func (c *fakeControl) Kill(name string) error      { return c.note("kill %s", name) }
func (c *fakeControl) Freeze(name string) error    { return c.note("freeze %s", name) }
func (c *fakeControl) Thaw(name string) error      { return c.note("thaw %s", name) }
func (c *fakeControl) Partition(name string) error { return c.note("partition %s", name) }
func (c *fakeControl) Heal(name string) error      { return c.note("heal %s", name) }
func (c *fakeControl) RestartAPIServer(context.Context) error {
	return c.note("restart the API server")
}
func (c *fakeControl) Allow(context.Context) error { return c.note("allow") }

func (c *fakeControl) Forbid(_ context.Context, verbs, resources []string) error {
	return c.note("forbid %v of %v", verbs, resources)
}

func (c *fakeControl) Delay(_ context.Context, verbs, resources []string, by time.Duration) error {
	return c.note("delay %v of %v by %s", verbs, resources, by)
}
func (c *fakeControl) Undelay(context.Context) error { return c.note("undelay") }
func (c *fakeControl) CanDelay() bool                { return !c.cannotDelay }

func (c *fakeControl) Reseed(_ context.Context, seed uint64) error { return c.note("seed %d", seed) }

func (c *fakeControl) RestartCloud(context.Context) error {
	if c.restarted != nil {
		c.restarted()
	}
	return c.note("restart the cloud")
}

// perform runs a scenario with these steps in a fake cluster.
func perform(t *testing.T, c *fakeCluster, steps string) Result {
	t.Helper()
	return performSpec(t, c, "ccm: stopped\n  steps:\n"+steps)
}

// performSpec is perform for the whole spec but its description.
func performSpec(t *testing.T, c *fakeCluster, spec string) Result {
	t.Helper()
	text := "apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: one}\nspec:\n  description: d\n  " + spec
	all, err := Parse("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.World()
	if err != nil {
		t.Fatal(err)
	}
	return execute(t.Context(), w, all[0], 0, NewLines(t.Output(), true))
}

// passes fails the test when the scenario did not pass.
func passes(t *testing.T, r Result) {
	t.Helper()
	if r.Status != Passed {
		t.Errorf("it is %s: %s %v", r.Status, r.Error, r.Failures)
	}
}

// fails wants the scenario to have failed once, with these words.
func fails(t *testing.T, r Result, says string) {
	t.Helper()
	if r.Status != Failed || len(r.Failures) != 1 || !strings.Contains(r.Failures[0].String(), says) {
		t.Errorf("it is %s (%s), want it to fail with %q: %v", r.Status, r.Error, says, r.Failures)
	}
}
