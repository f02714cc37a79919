package core_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// reopener opens one file again and again.
type reopener struct {
	*testing.T
	path  string
	cfg   core.Config
	cloud *core.Cloud
}

func newReopener(t *testing.T, cfg core.Config) *reopener {
	r := &reopener{T: t, path: filepath.Join(t.TempDir(), "cloud.db"), cfg: cfg}
	r.open()
	return r
}

func (r *reopener) open() {
	r.Helper()
	if r.cloud != nil {
		if err := r.cloud.Close(); err != nil {
			r.Fatal(err)
		}
	}
	r.cloud = openAt(r.T, r.path, store.Options{}, r.cfg)
}

func (r *reopener) state() simcloud.State {
	r.Helper()
	return must[simcloud.State](r)(r.cloud.GetState(r.Context()))
}

func TestReopenKeepsEverything(t *testing.T) {
	t.Parallel()
	r := newReopener(t, core.Config{Seed: 3})
	ctx := t.Context()
	must[simcloud.ClockStatus](t)(r.cloud.SetClock(ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	must[simcloud.ClockAdvance](t)(r.cloud.AdvanceClock(ctx, simcloud.Duration(time.Hour)))
	id := must[instanceResult](t)(r.cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"})).Resource.ID
	must[simcloud.Result[simcloud.LoadBalancer]](t)(r.cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{
		Name: "lb", Targets: []simcloud.TargetSpec{{Instance: id}},
	}))
	before := r.state()
	r.cfg.Seed = 99 // the cloud that is there goes on with its own
	r.open()
	if diff := cmp.Diff(before, r.state()); diff != "" {
		t.Errorf("after reopening (-before +after):\n%s", diff)
	}
	if next := must[instanceResult](t)(r.cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "b"})).Resource.ID; next != "i-2" {
		t.Errorf("the next id is %s", next)
	}
	var revisions []uint64
	for event, err := range r.cloud.WatchEvents(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		revisions = append(revisions, event.Revision)
		if event.ID == "i-2" {
			break
		}
	}
	if uint64(len(revisions)) != before.Revision+1 {
		t.Errorf("%d events up to revision %d", len(revisions), before.Revision+1)
	}
	if err := r.cloud.Check(ctx); err != nil {
		t.Error(err)
	}
}

func TestReopenKeepsIdempotencyKeys(t *testing.T) {
	t.Parallel()
	r := newReopener(t, core.Config{})
	spec, key := simcloud.InstanceSpec{Name: "a"}, simcloud.IdempotencyKey("k")
	first := must[instanceResult](t)(r.cloud.CreateInstance(t.Context(), spec, key))
	r.open()
	again := must[instanceResult](t)(r.cloud.CreateInstance(t.Context(), spec, key))
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("(-first +again):\n%s", diff)
	}
	_, err := r.cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "b"}, key)
	wantCode(t, "another spec", err, simcloud.Conflict)
}

func TestReopenGoesOnWithOperations(t *testing.T) {
	t.Parallel()
	machine := newFakeClock()
	r := newReopener(t, core.Config{Clock: machine, Progression: simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Minute)}})
	op := must[instanceResult](t)(r.cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})).Operation
	r.open()
	if state := must[simcloud.Instance](t)(r.cloud.GetInstance(t.Context(), "i-1")).State; state != simcloud.InstancePending {
		t.Errorf("state %s before the time", state)
	}
	machine.move(time.Minute)
	done := must[simcloud.Operation](t)(r.cloud.WaitOperation(t.Context(), op.ID))
	if done.State != simcloud.OperationDone || !done.Finished.Equal(op.ReadyAt) {
		t.Errorf("%s, finished %s of %s", done.State, done.Finished, op.ReadyAt)
	}
	// The one that gets ready while the cloud is closed.
	op = must[instanceResult](t)(r.cloud.StopInstance(t.Context(), "i-1")).Operation
	if err := r.cloud.Close(); err != nil {
		t.Fatal(err)
	}
	machine.move(time.Hour)
	r.open()
	if state := must[simcloud.Instance](t)(r.cloud.GetInstance(t.Context(), "i-1")).State; state != simcloud.InstanceStopped {
		t.Errorf("state %s after the time", state)
	}
	if err := r.cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestReopenKeepsTheClock(t *testing.T) {
	t.Parallel()
	machine := newFakeClock()
	r := newReopener(t, core.Config{Clock: machine})
	now := func() time.Time { return must[simcloud.ClockStatus](t)(r.cloud.GetClock(t.Context())).Now }
	start := now()
	must[simcloud.ClockStatus](t)(r.cloud.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 60}))
	machine.move(time.Second)
	r.open()
	machine.move(time.Second)
	if got, want := now().Sub(start), 2*time.Minute; got != want {
		t.Errorf("a scaled clock went on by %s, want %s", got, want)
	}
	machine.move(-time.Hour) // the machine's clock is put right
	before := now()
	r.open()
	if got := now(); got.Before(before) {
		t.Errorf("time went back from %s to %s", before, got)
	}
	must[simcloud.ClockStatus](t)(r.cloud.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	before = now()
	machine.move(time.Hour)
	r.open()
	if got := now(); !got.Equal(before) {
		t.Errorf("a manual clock went from %s to %s", before, got)
	}
}

// TestTimeAfterACrash: time does not go back behind what was written, even
// when the machine's clock does and the cloud was not closed.
func TestTimeAfterACrash(t *testing.T) {
	t.Parallel()
	machine := newFakeClock()
	path := filepath.Join(t.TempDir(), "cloud.db")
	db := must[*store.DB](t)(store.Open(path, store.Options{}))
	crashed := must[*core.Cloud](t)(core.Open(core.Config{DB: db, Clock: machine}))
	machine.move(time.Hour)
	created := must[instanceResult](t)(crashed.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})).Resource.Created
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "close a cloud without its file", crashed.Close(), simcloud.Unavailable)
	machine.move(-2 * time.Hour)
	cloud := openAt(t, path, store.Options{}, core.Config{Clock: machine})
	if now := must[simcloud.ClockStatus](t)(cloud.GetClock(t.Context())).Now; now.Before(created) {
		t.Errorf("it is %s after %s", now, created)
	}
}

// TestReopenAdvances: what waits for a manual clock waits across a restart,
// and the advance says what it has brought about, in its order.
func TestReopenAdvances(t *testing.T) {
	t.Parallel()
	r := newReopener(t, core.Config{Clock: newFakeClock(), Progression: simcloud.Progression{
		Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Minute), Jitter: simcloud.Duration(time.Minute),
	}})
	ctx := t.Context()
	must[simcloud.ClockStatus](t)(r.cloud.SetClock(ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	for range 4 {
		must[instanceResult](t)(r.cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}))
	}
	pending := r.state().Operations
	slices.SortFunc(pending, func(a, b simcloud.Operation) int { return a.ReadyAt.Compare(b.ReadyAt) })
	var fired []simcloud.Operation
	for range 4 {
		r.open()
		fired = append(fired, must[simcloud.ClockAdvance](t)(r.cloud.AdvanceClock(ctx, simcloud.Duration(30*time.Second))).Fired...)
	}
	if len(fired) != len(pending) {
		t.Fatalf("%d operations fired, want %d", len(fired), len(pending))
	}
	for i, op := range fired {
		if op.ID != pending[i].ID || !op.Finished.Equal(pending[i].ReadyAt) || op.State != simcloud.OperationDone {
			t.Errorf("%s is %s since %s, want %s at %s", op.ID, op.State, op.Finished, pending[i].ID, pending[i].ReadyAt)
		}
	}
}
