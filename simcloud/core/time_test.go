package core_test

import (
	"math"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

var minute = simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Minute)}

// TestReadsAreNeverLate: a read after the time of an operation sees what it
// led to, even if the worker has not been there.
func TestReadsAreNeverLate(t *testing.T) {
	t.Parallel()
	machine := newFakeClock()
	cloud := open(t, core.Config{Clock: machine, Progression: minute})
	ctx := t.Context()
	lb := must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "lb"}))
	must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}))
	machine.creep(time.Minute)
	if page := must[simcloud.Page[simcloud.Instance]](t)(cloud.ListInstances(ctx, simcloud.ListOptions{State: "running"})); len(page.Items) != 1 {
		t.Errorf("%d instances run", len(page.Items))
	}
	// A mutation is not stopped by an operation whose time is over either.
	_, err := cloud.CreateListener(ctx, lb.Resource.ID, simcloud.ListenerSpec{
		Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 80},
	})
	if err != nil {
		t.Error(err)
	}
}

// openDB is open for tests that look into the store too.
func openDB(t *testing.T, cfg core.Config) (*core.Cloud, *store.DB) {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg.DB = db
	cloud := must[*core.Cloud](t)(core.Open(cfg))
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	return cloud, db
}

// TestWorker: what is due happens without a reader.
func TestWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		machine := newFakeClock()
		cloud, db := openDB(t, core.Config{Clock: machine, Progression: minute})
		must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
		changed := db.Changed()
		synctest.Wait() // the worker has read the clock, and waits for its timer
		machine.move(time.Minute)
		<-changed
		if state := must[simcloud.Instance](t)(cloud.GetInstance(t.Context(), "i-1")).State; state != simcloud.InstanceRunning {
			t.Errorf("the instance is %s", state)
		}
	})
}

// TestWorkerAfterAStandstill: a clock that runs again runs for the worker too.
func TestWorkerAfterAStandstill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		machine := newFakeClock()
		cloud, db := openDB(t, core.Config{Clock: machine, Progression: minute})
		must[simcloud.ClockStatus](t)(cloud.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockManual}))
		must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
		machine.move(time.Hour)
		must[simcloud.ClockStatus](t)(cloud.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockReal}))
		changed := db.Changed()
		synctest.Wait() // the worker has read the clock, and waits for its timer
		machine.move(time.Minute)
		<-changed
	})
}

func TestScaledClock(t *testing.T) {
	t.Parallel()
	machine := newFakeClock()
	cloud := open(t, core.Config{Clock: machine, Progression: minute})
	must[simcloud.ClockStatus](t)(cloud.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 60}))
	r := must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
	_, err := cloud.StopInstance(t.Context(), r.Resource.ID)
	wantCode(t, "a minute is a second", err, simcloud.Locked)
	if after := simcloud.RetryAfter(err); after < time.Second || after > time.Second+time.Millisecond {
		t.Errorf("retry after %s of the caller's time, want 1s", after)
	}
	machine.move(time.Second + 1)
	if op := must[simcloud.Operation](t)(cloud.WaitOperation(t.Context(), r.Operation.ID)); op.State != simcloud.OperationDone {
		t.Errorf("the operation is %s", op.State)
	}
}

func TestJitter(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{Progression: simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Minute), Jitter: simcloud.Duration(time.Second)}})
	seen := map[time.Duration]bool{}
	for range 20 {
		op := must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})).Operation
		took := op.ReadyAt.Sub(op.Started)
		if took < time.Minute || took > time.Minute+time.Second {
			t.Errorf("takes %s", took)
		}
		seen[took] = true
	}
	if len(seen) < 10 {
		t.Errorf("only %d different times", len(seen))
	}
}

// TestOpenChecksTheProgression: a progression need not come from ParseProgression.
func TestOpenChecksTheProgression(t *testing.T) {
	t.Parallel()
	for _, p := range []simcloud.Progression{
		{Mode: simcloud.ProgressionTime, Duration: -1}, {Mode: simcloud.ProgressionTime, Jitter: -1},
		{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(24*time.Hour + 1)}, {Mode: simcloud.ProgressionTime, Jitter: simcloud.Duration(math.MaxInt64)},
	} {
		db := must[*store.DB](t)(store.Open(filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true}))
		cloud, err := core.Open(core.Config{DB: db, Progression: p})
		wantCode(t, p.String(), err, simcloud.Invalid)
		if cloud != nil {
			_ = cloud.Close() // the test has failed already
		}
	}
}
