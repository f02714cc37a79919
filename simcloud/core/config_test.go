package core_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// TestConfigLasts: a configuration is that of the file, but for a progression that a start is given.
func TestConfigLasts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	slow := simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Minute)}
	polls := simcloud.Progression{Mode: simcloud.ProgressionPolls, Polls: 2}
	for _, c := range []struct {
		what        string
		given, want simcloud.Progression
	}{
		{"a new cloud", slow, slow},
		{"nothing given", simcloud.Progression{}, slow},
		{"another one given", polls, polls},
		{"nothing given again", simcloud.Progression{}, polls},
	} {
		cloud := openAt(t, path, store.Options{}, core.Config{Progression: c.given})
		if got := must[simcloud.Config](t)(cloud.GetConfig(t.Context())); got.Progression != c.want {
			t.Errorf("%s: got %s, want %s", c.what, got.Progression, c.want)
		}
		ttl := simcloud.Duration(time.Minute)
		if got := must[simcloud.Config](t)(cloud.GetConfig(t.Context())); c.given.Mode == "" && got.IdempotencyTTL != ttl {
			t.Errorf("%s: answers are kept for %s", c.what, got.IdempotencyTTL)
		}
		must[simcloud.Config](t)(cloud.UpdateConfig(t.Context(), simcloud.ConfigUpdate{IdempotencyTTL: &ttl}))
		if err := cloud.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnswersExpire: a key answers the same for as long as the configuration
// says, by the cloud's clock and across restarts; then it is free.
func TestAnswersExpire(t *testing.T) {
	t.Parallel()
	clock, path := newFakeClock(), filepath.Join(t.TempDir(), "cloud.db")
	cloud := openAt(t, path, store.Options{}, core.Config{Clock: clock})
	create := func(key string) simcloud.ID {
		t.Helper()
		return must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(t.Context(),
			simcloud.FloatingIPSpec{Name: "f"}, simcloud.IdempotencyKey(key))).Resource.ID
	}
	first := create("key")
	clock.move(24*time.Hour - 1)
	if err := cloud.Close(); err != nil {
		t.Fatal(err)
	}
	cloud = openAt(t, path, store.Options{}, core.Config{Clock: clock})
	if id := create("key"); id != first {
		t.Errorf("just before the end: %s, want %s", id, first)
	}
	clock.move(1)
	second := create("key")
	if second == first {
		t.Errorf("at the end it still is %s", first)
	}
	ttl := simcloud.Duration(time.Minute)
	must[simcloud.Config](t)(cloud.UpdateConfig(t.Context(), simcloud.ConfigUpdate{IdempotencyTTL: &ttl}))
	if id := create("key"); id != second {
		t.Errorf("after the change: %s, want %s", id, second)
	}
	clock.move(time.Minute)
	if id := create("key"); id == second {
		t.Errorf("after a minute it still is %s", id)
	}
}
