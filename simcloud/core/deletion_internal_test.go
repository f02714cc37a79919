package core

import (
	"path/filepath"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// TestDeletionsAreBounded: the index has no more deletions than there are events, also when all are asked for all the time.
func TestDeletionsAreBounded(t *testing.T) {
	t.Parallel()
	const limit = 20
	db, err := store.Open(filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true, EventLimit: limit})
	if err != nil {
		t.Fatal(err)
	}
	cloud, err := Open(Config{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	}()
	for range 3 * limit {
		made, err := cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cloud.DeleteInstance(t.Context(), made.Resource.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := cloud.Deletions(t.Context(), simcloud.KindInstance, 1); err != nil {
			t.Fatal(err)
		}
	}
	if kept := len(cloud.deleted.kinds[simcloud.KindInstance].all); kept == 0 || kept > limit {
		t.Errorf("%d deletions are kept of %d events", kept, limit)
	}
}
