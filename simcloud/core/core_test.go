package core_test

import (
	"path/filepath"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/spec"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func TestAPI(t *testing.T) {
	spec.TestAPI(t, func(t *testing.T, opts suite.Options) simcloud.API {
		return open(t, core.Config{Seed: opts.Seed, Progression: opts.Progression, DataPlane: opts.DataPlane})
	})
}

// open returns a new cloud in a file of its own.
func open(t testing.TB, cfg core.Config) *core.Cloud {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true}, cfg)
}

// openAt opens the cloud of a file, and closes it when the test ends.
func openAt(t testing.TB, path string, opts store.Options, cfg core.Config) *core.Cloud {
	t.Helper()
	db, err := store.Open(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	cfg.DB = db
	cloud, err := core.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Errorf("close the cloud: %v", err)
		}
	})
	return cloud
}
