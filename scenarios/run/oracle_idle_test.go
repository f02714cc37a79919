package run

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/oracle"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestIdleOracle(t *testing.T) {
	t.Parallel()
	writes := func(r *trial) { r.ccm.createRoute("10.244.99.0/24", ownVM) }
	// everySecond does something so often while the CCM should rest.
	everySecond := func(r *trial, times int, do func(i int)) {
		r.meanwhile = func() {
			for i := range times {
				time.Sleep(time.Second)
				do(i)
			}
		}
	}
	touches := func(r *trial) { everySecond(r, 20, func(int) { r.ccm.touches(1) }) }
	createRoute := func(r *trial, i int) simcloud.ID { return r.ccm.createRoute(fmt.Sprintf("10.244.%d.0/24", i), ownVM) }
	trials(t, named("idle-writes"), []trialCase{
		{"it rests", writes, ""},
		{"it writes every second", func(r *trial) {
			writes(r)
			touches(r)
		}, "does not come to rest: it wrote 15 times"},
		{"others write every second", func(r *trial) {
			writes(r)
			everySecond(r, 20, func(int) { r.harness.touches(1) })
		}, ""},
		{"it finishes what it has begun", func(r *trial) {
			writes(r)
			everySecond(r, 1, func(int) { r.ccm.touches(3) })
		}, ""},
		{"it has many routes to make", func(r *trial) {
			writes(r)
			everySecond(r, 20, func(i int) { createRoute(r, i) })
		}, ""},
		{"it makes routes without end", func(r *trial) {
			writes(r)
			everySecond(r, 70, func(i int) { createRoute(r, i) })
		}, "does not come to rest"},
		{"it makes and removes a route again and again", func(r *trial) {
			writes(r)
			var made simcloud.ID
			everySecond(r, 20, func(i int) {
				if i%2 == 0 {
					made = createRoute(r, 1)
				} else {
					r.ccm.deleteRoute(made)
				}
			})
		}, "does not come to rest"},
		{"it changes the status of a Service again and again", func(r *trial) {
			writes(r)
			r.service("web", tells("1.1.1.1"))
			everySecond(r, 20, func(i int) { r.service("web", tells([]string{"1.1.1.1", "1.1.1.2"}[(i+1)%2])) })
		}, "the status of the Service web"},
		{"the cloud refuses it", func(r *trial) {
			writes(r)
			full := len(r.cloud.State(r.t).RouteTables[0].Routes)
			r.harness.did(r.cloud.UpdateRouteTable(r.t.Context(), table, simcloud.RouteTableUpdate{Limit: &full}))
			one := simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Instance: ownVM}}
			everySecond(r, 20, func(int) {
				r.ccm.fails(r.ccm.to.CreateRoute(r.t.Context(), table, one)) // it has no room
				r.ccm.touches(1)
			})
		}, ""},
		{"a Service still waits for its address", func(r *trial) {
			writes(r)
			r.service("web", nil)
			touches(r)
		}, ""},
		{"it does not run", func(r *trial) {
			r.process.Runs = false
			writes(r)
			touches(r)
		}, ""},
	})
}

// TestRestIsNotWaitedForTwice: where the last steps have watched for as long, nothing is waited for.
func TestRestIsNotWaitedForTwice(t *testing.T) {
	t.Parallel()
	for _, quiet := range []time.Duration{0, oracle.RestTime / 3, oracle.RestTime, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			r, o := newTrial(t, named("idle-writes"))
			r.ccm.touches(1)
			wrote := time.Now()
			r.wait(1)
			r.ccm.calls(1, "GetInstance", ownVM) // it has read since
			r.wait(quiet)
			began := time.Now()
			if err := o.(oracle.Rester).Rest(t.Context(), seen{r.st}); err != nil {
				t.Fatal(err)
			}
			if took, want := time.Since(began), max(0, oracle.RestTime-began.Sub(wrote)); took != want {
				t.Errorf("after %s of quiet it took %s, want %s", quiet, took, want)
			}
		})
	}
}
