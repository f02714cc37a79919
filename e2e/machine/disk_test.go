package machine

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// cut and join take a machine off the network, and bring it back.
func (y *yard) cut(_ context.Context, name string) error  { y.say("cut %s", name); return nil }
func (y *yard) join(_ context.Context, name string) error { y.say("join %s", name); return nil }

// discard throws the disk of a machine away.
func (y *yard) discard(_ context.Context, name string) error {
	y.say("discard %s", name)
	return nil
}

// startWiredYard runs machines that have disks and can be cut off.
func startWiredYard(t *testing.T) (*scriptedCloud, *yard, *Set) {
	t.Helper()
	cloud, y := newScriptedCloud(), newYard()
	m := New(Config{Cloud: cloud, Boot: y.boot, Log: slog.New(slog.DiscardHandler)})
	m.discard, m.cut, m.join = y.discard, y.cut, y.join
	m.Start()
	t.Cleanup(m.Close)
	return cloud, y, m
}

func TestDisksLiveAsLongAsTheirInstances(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startWiredYard(t)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		cloud.set(t, "i-1", "a", simcloud.InstanceStopped)
		await(t, m)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		cloud.set(t, "i-1", "a", simcloud.InstanceRebuilding)
		await(t, m)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		cloud.set(t, "i-1", "a", simcloud.InstanceStopped)
		await(t, m)
		cloud.remove("i-1")
		cloud.set(t, "i-2", "b", simcloud.InstanceRunning)
		await(t, m, "b running i-2")
		if err := m.Kill("b"); err != nil {
			t.Fatal(err)
		}
		if err := m.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		// What the machine b does and what is done to the disk of a are of two workers.
		said := y.said()
		if diff := cmp.Diff([]string{"boot a", "kill a", "boot a", "kill a", "discard a", "boot a", "kill a"}, said[:7]); diff != "" {
			t.Errorf("what happened (-want +got):\n%s", diff)
		}
		rest := map[string]int{}
		for _, line := range said[7:] {
			rest[line]++
		}
		if diff := cmp.Diff(map[string]int{"discard a": 1, "boot b": 1, "kill b": 1, "discard b": 1}, rest); diff != "" {
			t.Errorf("what happened then (-want +got):\n%s", diff)
		}
	})
}

func TestTheDiskOfAnotherInstanceStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startWiredYard(t)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		cloud.set(t, "i-1", "a", simcloud.InstanceStopped)
		await(t, m)
		cloud.set(t, "i-2", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-2")
		cloud.remove("i-1")
		cloud.set(t, "i-2", "a", simcloud.InstanceStopped)
		await(t, m)
		wantSaid(t, y, "boot a", "kill a", "boot a", "kill a")
	})
}

func TestHollowNodesHaveNoDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startWiredYard(t)
		inst := instance("i-1", "a", 0, simcloud.InstanceRunning, LabelNode, NodeHollow)
		cloud.tell(t, inst)
		await(t, m, "a running i-1")
		cloud.remove("i-1")
		await(t, m)
		wantSaid(t, y, "light boot a", "kill a")
	})
}

func TestPartition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startWiredYard(t)
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		check(m.Partition("a"))
		await(t, m, "a partitioned i-1")
		check(m.Partition("a"))
		check(m.Freeze("a"))
		await(t, m, "a frozen i-1")
		check(m.Heal("a"))
		await(t, m, "a frozen i-1")
		check(m.Thaw("a"))
		await(t, m, "a running i-1")
		cloud.tell(t, unreachable(instance("i-1", "a", 0, simcloud.InstanceRunning)))
		await(t, m, "a partitioned i-1")
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		wantSaid(t, y, "boot a", "cut a", "freeze a", "join a", "thaw a", "cut a", "join a")
	})
}

func TestWhatCannotBeCutOffIsFrozen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, y, m := startYard(t)
		cloud.set(t, "i-1", "a", simcloud.InstanceRunning)
		await(t, m, "a running i-1")
		for _, step := range []func(string) error{m.Partition, m.Freeze, m.Heal, m.Thaw} {
			if err := step("a"); err != nil {
				t.Fatal(err)
			}
		}
		wantSaid(t, y, "boot a", "freeze a", "thaw a")
	})
}
