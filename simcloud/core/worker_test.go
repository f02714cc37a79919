package core_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// brokenClock is a clock that makes the worker panic.
type brokenClock struct{ *fakeClock }

func (brokenClock) NewTimer(time.Duration) (<-chan time.Time, func() bool) { panic("no timer") }

// TestWorkerPanics: a worker that cannot go on ends the cloud in words, and not its process.
func TestWorkerPanics(t *testing.T) {
	t.Parallel()
	db := must[*store.DB](t)(store.Open(filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true}))
	cloud := must[*core.Cloud](t)(core.Open(core.Config{DB: db, Clock: brokenClock{newFakeClock()}, Progression: minute}))
	create(t, cloud, "a")
	<-cloud.Broken()
	_, err := cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "b"})
	wantCode(t, "a call", err, simcloud.Unavailable)
	_, err = cloud.GetInstance(t.Context(), "i-1")
	wantCode(t, "a read", err, simcloud.Unavailable)
	wantCode(t, "close", cloud.Close(), simcloud.Unavailable)
}
