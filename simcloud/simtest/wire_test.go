package simtest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestWire: a cloud without a socket lives in fake time, its streams included.
func TestWire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, _, c := simtest.OpenWire(t, "one/1", simtest.Slow(time.Hour))
		if _, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}); err != nil {
			t.Fatal(err)
		}
		page, err := c.ListInstances(t.Context(), simcloud.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for event, err := range c.WatchEvents(t.Context(), page.Revision) {
			if err != nil {
				t.Fatal(err)
			}
			if event.Kind == simcloud.KindInstance {
				break
			}
		}
		if took := time.Since(began); took != time.Hour {
			t.Errorf("the instance changed after %s, want 1h", took)
		}
		calls, err := c.ListJournal(t.Context(), simcloud.JournalFilter{})
		if err != nil || len(calls) < 2 || calls[0].Caller.UserAgent != "one/1" {
			t.Errorf("calls %+v, %v", calls, err)
		}
	})
}

// TestClientsArePatient: a busy machine answers late, which is no failure. A
// client of the product gives up after 30 s.
func TestClientsArePatient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, _, c := simtest.OpenWire(t, "one/1")
		late := fault.Rule{
			Match:  fault.Match{Operation: "CreateInstance"},
			Effect: fault.Effect{Delay: &fault.Delay{Duration: simcloud.Duration(simtest.Patience / 2)}},
		}
		if _, err := c.AddFault(t.Context(), late); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}); err != nil || time.Since(began) < simtest.Patience/2 {
			t.Errorf("%v after %s, want an answer after %s", err, time.Since(began), simtest.Patience/2)
		}
	})
}
