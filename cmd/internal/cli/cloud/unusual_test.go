package cloud

import (
	"slices"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestReadUnusual: a new cloud has nothing unusual, and each thing that a user has changed is found.
func TestReadUnusual(t *testing.T) {
	t.Parallel()
	running, _ := simtest.Open(t)
	ctx := t.Context()
	c, err := client.New(client.Config{Endpoint: running.URL(), Token: running.Token(), StrongReads: true}) // as the command line does
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	want := func(texts ...string) {
		t.Helper()
		u, err := ReadUnusual(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Texts(); !slices.Equal(got, texts) {
			t.Errorf("unusual is %q, want %q", got, texts)
		}
	}
	want()
	for zone, state := range map[simcloud.ID]simcloud.ZoneState{"zone-a": simcloud.ZoneDown, "zone-b": simcloud.ZoneDown, "zone-c": simcloud.ZoneDegraded} {
		if _, err := c.SetZoneState(ctx, zone, simcloud.ZoneStateSpec{State: state}); err != nil {
			t.Fatal(err)
		}
	}
	for _, rule := range []fault.Rule{
		{Name: "lost", Match: fault.Match{Operation: "CreateVolume"}, Effect: fault.Effect{Hang: &fault.Hang{}}},
		{Name: "late", Match: fault.Match{Operation: "CreateVolume"}, When: fault.When{Skip: 5}, Effect: fault.Effect{Hang: &fault.Hang{}}},
	} {
		if _, err := c.AddFault(ctx, rule); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.UpdateConfig(ctx, simcloud.ConfigUpdate{Consistency: &simcloud.Consistency{StaleLists: simcloud.Duration(3 * time.Second)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SetClock(ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}); err != nil {
		t.Fatal(err)
	}
	want("2 zones down", "1 zone degraded", "1 fault active", "lists 3s old", "clock manual")
}

// TestUnusualClock: a clock that is real, and not at the time of the machine, is unusual.
func TestUnusualClock(t *testing.T) {
	t.Parallel()
	for offset, want := range map[time.Duration][]string{
		0: nil, 300 * time.Millisecond: nil, -470 * time.Second: {"clock 7m50s behind"}, time.Hour: {"clock 1h0m0s ahead"},
	} {
		u := Unusual{Clock: simcloud.ClockStatus{ClockSpec: simcloud.ClockSpec{Mode: simcloud.ClockReal}, Offset: simcloud.Duration(offset)}}
		if got := u.Texts(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", offset, got, want)
		}
	}
}
