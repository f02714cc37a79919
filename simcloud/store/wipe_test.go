package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func TestWipe(t *testing.T) {
	t.Parallel()
	db := scratch(t)
	update(t, db, func(tx *store.Tx) error {
		for _, name := range []string{"a", "b", "c"} {
			zone := simcloud.Zone{Meta: simcloud.Meta{ID: simcloud.ID(name), Name: name}}
			if err := store.Zones.Insert(tx, epoch, &zone); err != nil {
				return err
			}
			if _, err := insert(tx, simcloud.Meta{Name: name, Project: "p"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err := db.UpdateAlone(func(tx *store.Tx) error {
		return store.Wipe(tx, epoch, func(kind simcloud.Kind, id simcloud.ID) bool {
			return kind == simcloud.KindZone && (id == "" || id == "b")
		})
	}); err != nil {
		t.Fatal(err)
	}
	if items := all(t, db); len(items) != 0 {
		t.Errorf("instances that are left: %v", items)
	}
	if err := db.View(func(tx *store.Tx) error {
		zone, err := store.Zones.Get(tx, "b")
		if err != nil || zone.Version != 3 {
			t.Errorf("zone b has version %d, %v", zone.Version, err)
		}
		events, err := tx.Events(6, 100)
		var got []string
		for _, e := range events {
			got = append(got, string(e.Type)+" "+string(e.ID)+" of "+string(e.Project))
		}
		want := []string{"deleted a of ", "deleted c of ", "deleted i-1 of p", "deleted i-2 of p", "deleted i-3 of p"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	update(t, db, func(tx *store.Tx) error {
		instance, err := insert(tx, simcloud.Meta{Name: "a"})
		if instance.ID != "i-1" || instance.Version != 12 {
			t.Errorf("after the wipe: %s with version %d", instance.ID, instance.Version)
		}
		return err
	})
}
