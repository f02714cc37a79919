package store

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestNameVIPNetworks: the private addresses of a former file name their
// network, the others stay, and no event tells of it.
func TestNameVIPNetworks(t *testing.T) {
	t.Parallel()
	db, err := Open(filepath.Join(t.TempDir(), "cloud.db"), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the file is the test's own
	former := simcloud.LoadBalancer{
		Meta: simcloud.Meta{ID: "lb-1", Project: "p"}, Network: "net-1",
		VIPs: []simcloud.VIP{{Address: "10.0.0.5"}, {Address: "127.77.0.9", FloatingIP: "fip-1"}, {Address: "127.77.0.8", Pool: "public"}},
	}
	if err := db.UpdateAlone(func(tx *Tx) error { return LoadBalancers.Insert(tx, time.Time{}, &former) }); err != nil {
		t.Fatal(err)
	}
	if err := db.UpdateAlone(nameVIPNetworks); err != nil {
		t.Fatal(err)
	}
	if err := db.View(func(tx *Tx) error {
		got, err := LoadBalancers.Get(tx, "lb-1")
		want := slices.Clone(former.VIPs)
		want[0].Network = "net-1"
		if !slices.Equal(got.VIPs, want) {
			t.Errorf("the addresses are %+v, want %+v", got.VIPs, want)
		}
		if got.Version != former.Version || tx.Revision() != former.Version {
			t.Errorf("version %d at revision %d, want both to stay %d", got.Version, tx.Revision(), former.Version)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
