package core_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func pollsOf(n int) simcloud.Progression {
	return simcloud.Progression{Mode: simcloud.ProgressionPolls, Polls: n}
}

// TestPollsAmongManyReaders: whoever reads, and however many at once, an
// operation completes once, and no reader sees it running after another saw it done.
func TestPollsAmongManyReaders(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{Progression: pollsOf(100)})
	ctx := t.Context()
	r := must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}))
	var readers sync.WaitGroup
	var mu sync.Mutex
	reads := 0
	for range 8 {
		readers.Go(func() {
			for {
				instance, err := cloud.GetInstance(ctx, r.Resource.ID)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				reads++
				mu.Unlock()
				if instance.State == simcloud.InstanceRunning {
					break
				}
			}
			if again := must[simcloud.Instance](t)(cloud.GetInstance(ctx, r.Resource.ID)); again.State != simcloud.InstanceRunning {
				t.Errorf("the instance is %s again", again.State)
			}
		})
	}
	readers.Wait()
	if reads < 100 || reads > 100+2*8 {
		t.Errorf("it took %d reads, want 100", reads)
	}
	updates := 0
	for _, event := range eventsOf(t, cloud) {
		if event.ID == r.Resource.ID && event.Type == simcloud.Updated {
			updates++
		}
	}
	if updates != 1 {
		t.Errorf("the instance was updated %d times", updates)
	}
}

// eventsOf returns all events that the cloud has.
func eventsOf(t *testing.T, cloud *core.Cloud) (events []simcloud.Event) {
	t.Helper()
	last := must[simcloud.State](t)(cloud.GetState(t.Context())).Revision
	for event, err := range cloud.WatchEvents(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if events = append(events, event); event.Revision >= last {
			break
		}
	}
	return events
}

// TestPollsAfterReopening: an operation that waits for reads is there after a
// restart, and the count of its reads begins again.
func TestPollsAfterReopening(t *testing.T) {
	t.Parallel()
	r := newReopener(t, core.Config{Progression: pollsOf(2)})
	ctx := t.Context()
	must[instanceResult](t)(r.cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}))
	for range 2 {
		if state := must[simcloud.Instance](t)(r.cloud.GetInstance(ctx, "i-1")).State; state != simcloud.InstancePending {
			t.Errorf("the instance is %s after one read", state)
		}
		r.open()
	}
	must[simcloud.Operation](t)(r.cloud.GetOperation(ctx, "op-1"))
	if state := must[simcloud.Instance](t)(r.cloud.GetInstance(ctx, "i-1")).State; state != simcloud.InstanceRunning {
		t.Errorf("the instance is %s after two reads", state)
	}
}

// TestPollsAfterAReset: a reset ends what waits for reads, and the operation
// that gets its id waits for all of its own.
func TestPollsAfterAReset(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{Progression: pollsOf(3)})
	ctx := t.Context()
	for range 2 {
		must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}))
		for i, want := range []simcloud.InstanceState{simcloud.InstancePending, simcloud.InstancePending} {
			if state := must[simcloud.Instance](t)(cloud.GetInstance(ctx, "i-1")).State; state != want {
				t.Errorf("after %d reads: %s", i+1, state)
			}
		}
		if err := cloud.Reset(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPollsOfOthers: who may not see an operation does not bring it forward.
func TestPollsOfOthers(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{Progression: pollsOf(1)})
	must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
	theirs := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "theirs", Role: simcloud.RoleReader})
	_, err := cloud.GetInstance(theirs, "i-1")
	wantCode(t, "another project's instance", err, simcloud.NotFound)
	_, err = cloud.WaitOperation(theirs, "op-1")
	wantCode(t, "another project's operation", err, simcloud.NotFound)
	must[simcloud.Page[simcloud.Instance]](t)(cloud.ListInstances(theirs, simcloud.ListOptions{}))
	state := must[simcloud.State](t)(cloud.GetState(t.Context()))
	if got := state.Instances[0].State; got != simcloud.InstancePending {
		t.Errorf("the instance is %s", got)
	}
}

// TestReopenBetweenProgressions: what is under way keeps the progression that it began with.
func TestReopenBetweenProgressions(t *testing.T) {
	t.Parallel()
	machine := newFakeClock()
	path := filepath.Join(t.TempDir(), "cloud.db")
	first := openAt(t, path, store.Options{}, core.Config{Clock: machine, Progression: minute})
	op := must[instanceResult](t)(first.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})).Operation
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := openAt(t, path, store.Options{}, core.Config{Clock: machine, Progression: pollsOf(1)})
	if got := must[simcloud.Operation](t)(second.GetOperation(t.Context(), op.ID)); got.State != simcloud.OperationRunning {
		t.Errorf("the operation is %s", got.State)
	}
	machine.move(time.Minute)
	if got := must[simcloud.Operation](t)(second.GetOperation(t.Context(), op.ID)); got.State != simcloud.OperationDone {
		t.Errorf("the operation is %s after its time", got.State)
	}
}
