package machine

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestMachinesOnTheSimulator follows a real cloud over HTTP.
func TestMachinesOnTheSimulator(t *testing.T) {
	t.Parallel()
	cloud := simtest.New(t)
	ctx := t.Context()
	create := func(name string, labels map[string]string) simcloud.Instance {
		t.Helper()
		result, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: name, Labels: labels})
		if err != nil {
			t.Fatal(err)
		}
		return result.Resource
	}
	check := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	a := create("a", nil) // before the set follows
	y := newYard()
	m := New(Config{Cloud: cloud, Boot: y.boot, Log: slog.New(slog.DiscardHandler)})
	m.Start()
	defer m.Close()

	await(t, m, "a running i-1")
	create("bare", map[string]string{LabelNode: NodeNone})
	create("b", map[string]string{LabelNode: NodeHollow})
	await(t, m, "a running i-1", "b running i-3")
	check(cloud.StopInstance(ctx, a.ID))
	await(t, m, "b running i-3")
	check(cloud.StartInstance(ctx, a.ID))
	await(t, m, "a running i-1", "b running i-3")
	check(cloud.RecreateInstance(ctx, a.ID))
	await(t, m, "a running i-4", "b running i-3")
	check(cloud.RebootInstance(ctx, "i-4"))
	check(cloud.SetZoneState(ctx, a.Zone, simcloud.ZoneStateSpec{State: simcloud.ZoneDown}))
	await(t, m, "a frozen i-4", "b running i-3")
	check(cloud.SetZoneState(ctx, a.Zone, simcloud.ZoneStateSpec{State: simcloud.ZoneAvailable}))
	await(t, m, "a running i-4", "b running i-3")
	check(cloud.SuspendInstance(ctx, "i-4"))
	await(t, m, "a frozen i-4", "b running i-3")
	check(cloud.StartInstance(ctx, "i-4"))
	await(t, m, "a running i-4", "b running i-3")
	check(cloud.RebuildInstance(ctx, "i-4", simcloud.InstanceRebuild{}))
	check(cloud.DeleteInstance(ctx, "i-3"))
	await(t, m, "a running i-4")
	if err := cloud.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	await(t, m)

	ofA := slices.DeleteFunc(y.said(), func(line string) bool { return line[len(line)-1] != 'a' })
	want := []string{
		"boot a", "kill a", "boot a", "kill a", "boot a", "kill a", "boot a",
		"freeze a", "thaw a", "freeze a", "thaw a", "kill a", "boot a", "kill a",
	}
	if diff := cmp.Diff(want, ofA); diff != "" {
		t.Errorf("what happened to a: boot, stop and start, recreate, reboot, its zone down, suspension, rebuild, reset (-want +got):\n%s", diff)
	}
}
