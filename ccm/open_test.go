package ccm

import (
	"path/filepath"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func openCloud(t *testing.T) simulator {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	cloud, err := core.Open(core.Config{DB: db, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cloud.Close() })
	return cloud
}
