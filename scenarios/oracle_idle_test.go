package scenarios

import (
	"fmt"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestIdleOracle(t *testing.T) {
	writes := func(r *trial) {
		r.does(ccmAgent, "CreateRoute", simcloud.KindRouteTable, "rt-1", routes(route("r-2", "10.244.0.0/24", "i-1")))
	}
	trials(t, func(World) oracle { return &idleOracle{} }, []trialCase{
		{"it rests", writes, ""},
		{"it writes every second", func(r *trial) {
			writes(r)
			r.meanwhile = func() {
				for range 20 {
					time.Sleep(time.Second)
					r.calls("UpdateRouteTable", 1)
				}
			}
		}, "does not come to rest: it wrote 15 times"},
		{"it finishes what it has begun", func(r *trial) {
			writes(r)
			r.meanwhile = func() { time.Sleep(time.Second); r.calls("CreateTarget", 3) }
		}, ""},
		{"it has many routes to make", func(r *trial) {
			var all []any
			r.meanwhile = func() {
				for i := range 20 {
					time.Sleep(time.Second)
					id := fmt.Sprint("r-", 2+i)
					all = append(all, route(id, fmt.Sprintf("10.244.%d.0/24", i), "i-1"))
					r.does(ccmAgent, "CreateRoute", simcloud.KindRouteTable, "rt-1", routes(all...))
				}
			}
			writes(r)
		}, ""},
		{"it makes routes without end", func(r *trial) {
			var all []any
			r.meanwhile = func() {
				for i := range 70 {
					time.Sleep(time.Second)
					all = append(all, route(fmt.Sprint("r-", 2+i), fmt.Sprintf("10.244.%d.0/24", i), "i-1"))
					r.does(ccmAgent, "CreateRoute", simcloud.KindRouteTable, "rt-1", routes(all...))
				}
			}
			writes(r)
		}, "does not come to rest"},
		{"it makes and removes a route again and again", func(r *trial) {
			r.meanwhile = func() {
				for i := range 20 {
					time.Sleep(time.Second)
					all := []any{route("r-2", "10.244.0.0/24", "i-1"), route("r-3", "10.244.1.0/24", "i-1")}
					r.does(ccmAgent, "CreateRoute", simcloud.KindRouteTable, "rt-1", routes(all[:1+i%2]...))
				}
			}
			writes(r)
		}, "does not come to rest"},
		{"it changes the status of a Service again and again", func(r *trial) {
			writes(r)
			r.service("web", tells("1.1.1.1"))
			r.meanwhile = func() {
				for i := range 20 {
					time.Sleep(time.Second)
					r.service("web", tells([]string{"1.1.1.1", "1.1.1.2"}[(i+1)%2]))
				}
			}
		}, "the status of the Service web"},
		{"the cloud refuses it", func(r *trial) {
			writes(r)
			r.meanwhile = func() {
				for range 20 {
					time.Sleep(time.Second)
					r.cloud.call(ccmAgent, "CreateRoute", "", simcloud.Capacity)
					r.calls("UpdateRouteTable", 1)
				}
			}
		}, ""},
		{"a Service still waits for its address", func(r *trial) {
			writes(r)
			r.service("web", nil)
			r.meanwhile = func() {
				for range 20 {
					time.Sleep(time.Second)
					r.calls("UpdateRouteTable", 1)
				}
			}
		}, ""},
		{"it does not run", func(r *trial) {
			r.ccm.running = false
			writes(r)
			r.meanwhile = func() {
				for range 20 {
					time.Sleep(time.Second)
					r.calls("UpdateRouteTable", 1)
				}
			}
		}, ""},
	})
}

// TestRestIsNotWaitedForTwice: where the last steps have watched for as long, nothing is waited for.
func TestRestIsNotWaitedForTwice(t *testing.T) {
	for _, quiet := range []time.Duration{0, restTime / 3, restTime, time.Minute} {
		try(t, func(World) oracle { return &idleOracle{} }, func(r *trial) {
			r.calls("CreateRoute", 1)
			r.wait(quiet)
			o, began := &idleOracle{writes: []write{{at: time.Now().Add(-quiet)}}, reads: []time.Time{time.Now().Add(1 - quiet)}}, time.Now()
			if err := o.rest(r.t.Context(), r.st); err != nil {
				r.t.Fatal(err)
			}
			if took, want := time.Since(began), max(0, restTime-quiet); took != want {
				r.t.Errorf("after %s of quiet it took %s, want %s", quiet, took, want)
			}
		})
	}
}

// TestRestOf: a CCM rests once it has read the cloud and written nothing, and one that reads nothing after twice the time.
func TestRestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		quiet time.Duration
		read  bool
		want  time.Duration
	}{
		{0, false, restTime},
		{time.Second, true, restTime - time.Second},
		{restTime, true, 0},
		{restTime, false, restTime / 10},
		{syncTime - time.Millisecond, false, time.Millisecond},
		{syncTime, false, 0},
	} {
		if got := restOf(World{}, c.quiet, c.read); got != c.want {
			t.Errorf("quiet for %s, read %t: %s more, want %s", c.quiet, c.read, got, c.want)
		}
	}
}
