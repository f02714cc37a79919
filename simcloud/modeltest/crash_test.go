package modeltest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

var (
	seedFlag   = flag.Uint64("model.seed", 1, "what the calls and the kills follow from")
	roundsFlag = flag.Int("model.rounds", 8, "how often the cloud is killed")
	callsFlag  = flag.Int("model.calls", 500, "how many calls are answered before a kill, about")
)

const workers = 12

// envKills says how often TestCrashes kills the cloud; without it -model.rounds does.
const envKills = "KILLS"

const (
	// killsOfOne is after how many kills another cloud begins, so that comparing does not take longer and longer.
	killsOfOne = 50
	// killWithin bounds the time of a kill, however few calls were answered by then.
	killWithin = 900 * time.Millisecond
)

func kills(t *testing.T) int {
	t.Helper()
	value := os.Getenv(envKills)
	if value == "" {
		return *roundsFlag
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q: it must be a number of kills", envKills, value)
	}
	return n
}

// tally is what became of the calls of all clients.
type tally struct{ rounds, acknowledged, inDoubt, lost, resurrected, duplicates int }

func (y tally) String() string {
	return fmt.Sprintf("%d rounds, %d calls acknowledged, %d in doubt, %d lost, %d resurrected, %d duplicates",
		y.rounds, y.acknowledged, y.inDoubt, y.lost, y.resurrected, y.duplicates)
}

// TestCrashes: many clients, a cloud that is killed in the midst of their
// calls, and a model that knows what must be there afterwards.
func TestCrashes(t *testing.T) {
	t.Parallel()
	rounds := kills(t)
	var sum tally
	for first := 0; first < rounds && !t.Failed(); first += killsOfOne {
		seed := *seedFlag + uint64(first)
		crash(t, &sum, seed, min(killsOfOne, rounds-first))
		if t.Failed() {
			t.Logf("repeat it with -model.seed=%d -model.rounds=%d -model.calls=%d", seed, min(killsOfOne, rounds), *callsFlag)
		}
	}
	t.Log(sum)
	if sum.inDoubt == 0 {
		t.Error("no kill has hit a call under way")
	}
}

// crash kills one cloud so many times, and adds to the sum.
func crash(t *testing.T, sum *tally, seed uint64, rounds int) {
	t.Helper()
	dice := rand.New(rand.NewPCG(seed, 0))
	var all []*worker
	for n := range workers {
		all = append(all, newWorker(seed, n+1))
	}
	c := newCloud(t)
	defer c.kill()
	defer func() {
		for _, w := range all {
			sum.lost, sum.resurrected, sum.duplicates = sum.lost+w.lost, sum.resurrected+w.resurrected, sum.duplicates+w.duplicates
		}
	}()
	for range rounds {
		c.start(t)
		recoverAll(t, c, all)
		if t.Failed() {
			return
		}
		within := killWithin/100 + time.Duration(dice.Int64N(int64(killWithin)))
		sum.acknowledged += burst(t, c, all, *callsFlag/2+dice.IntN(*callsFlag), within)
		c.check(t)
		sum.rounds++
		for _, w := range all {
			if w.pending != nil {
				sum.inDoubt++
			}
		}
	}
	c.start(t)
	recoverAll(t, c, all)
}

// burst lets the workers call until so many calls were answered, or that time
// is over, then kills the cloud under them. It returns how many were.
func burst(t *testing.T, c *cloud, all []*worker, enough int, within time.Duration) int {
	t.Helper()
	var answers atomic.Int64
	reached := make(chan struct{})
	var once sync.Once
	each(t, all, func(ctx context.Context, w *worker) error {
		defer func() {
			if w.pending == nil {
				once.Do(func() { close(reached) }) // it has failed
			}
		}()
		for {
			answered, err := w.step(ctx, c.client)
			if err != nil || !answered {
				return err
			}
			if answers.Add(1) == int64(enough) {
				once.Do(func() { close(reached) })
			}
		}
	}, func() {
		over := time.NewTimer(within)
		defer over.Stop()
		select {
		case <-reached:
		case <-over.C:
		}
		c.kill()
	})
	return int(answers.Load())
}

// each runs fn for every worker at once, and meanwhile.
func each(t *testing.T, all []*worker, fn func(context.Context, *worker) error, meanwhile func()) {
	t.Helper()
	var group sync.WaitGroup
	errs := make([]error, len(all))
	for n, w := range all {
		group.Go(func() { errs[n] = fn(t.Context(), w) })
	}
	meanwhile()
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// recoverAll compares all that is there with the models.
func recoverAll(t *testing.T, c *cloud, all []*worker) {
	t.Helper()
	each(t, all, func(ctx context.Context, w *worker) error { return w.recover(ctx, c.client) }, func() {})
	if err := whole(t.Context(), c.client, all); err != nil {
		t.Error(err)
	}
}

// whole checks what concerns all clients together: no address twice, and
// nothing that no call has created.
func whole(ctx context.Context, c *client.Client, all []*worker) error {
	known, owners := map[simcloud.ID]bool{}, map[string]simcloud.ID{}
	for _, w := range all {
		for id := range w.model.things {
			known[id] = true
		}
	}
	instances, err := simcloud.ListAll(ctx, c.ListInstances, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
	for _, instance := range instances {
		if !known[instance.ID] {
			err = errors.Join(err, fmt.Errorf("%s exists, but no call created it", instance.ID))
		}
		for _, address := range instance.Addresses {
			if other, twice := owners[address.Address]; twice {
				err = errors.Join(err, fmt.Errorf("%s and %s both have %s", other, instance.ID, address.Address))
			}
			owners[address.Address] = instance.ID
		}
	}
	return err
}

// TestSameSeed: one client with the same seed makes the same calls and gets
// the same answers, kills between or not.
func TestSameSeed(t *testing.T) {
	t.Parallel()
	first, second := trace(t, *seedFlag, 0), trace(t, *seedFlag, 97)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("seed %d, without kills and with (-without +with):\n%s", *seedFlag, diff)
	}
	if cmp.Equal(first, trace(t, *seedFlag+1, 0)) {
		t.Error("another seed makes the same calls")
	}
}

// trace returns what one client did; the cloud is killed after each so many calls.
func trace(t *testing.T, seed uint64, every int) []string {
	t.Helper()
	c, w := newCloud(t), newWorker(seed, 1)
	c.start(t)
	for n := 1; n <= 400; n++ {
		if answered, err := w.step(t.Context(), c.client); err != nil || !answered {
			t.Fatalf("seed %d: answered %t, %v", seed, answered, err)
		}
		if every > 0 && n%every == 0 {
			c.kill()
			c.start(t)
			if err := w.recover(t.Context(), c.client); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.kill()
	return w.trace
}
