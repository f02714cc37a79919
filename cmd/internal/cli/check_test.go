package cli

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

var damages = flag.Int("damages", 16, "how many damaged files TestCheckSurvivesAnyDamage looks at")

// TestCheckSurvivesAnyDamage: whatever is wrong with a file, check reports it in
// its own words, and never that a file is fine whose pages it could not read.
func TestCheckSurvivesAnyDamage(t *testing.T) {
	t.Parallel()
	good := dataFile(t)
	dice := rand.New(rand.NewPCG(1, 2))
	found := 0
	for i := range *damages {
		bad := append([]byte{}, good...)
		for range 1 + dice.IntN(64) {
			bad[dice.IntN(len(bad))] ^= byte(1 + dice.IntN(255))
		}
		path := filepath.Join(t.TempDir(), strconv.Itoa(i)+".db")
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := simcloudMain("check", path, "-o", "json")
		var result struct {
			OK       bool
			Problems []string
		}
		if code == exit.CodeUsage {
			continue // the version was hit: a newer program may have written it
		}
		if err := json.Unmarshal([]byte(out), &result); err != nil || result.OK != (code == exit.CodeOK) || result.OK != (len(result.Problems) == 0) {
			t.Fatalf("damage %d: code %d, %v\n%s\n%s", i, code, err, out, errs)
		}
		if !result.OK {
			found++
		}
	}
	if found < *damages/2 {
		t.Errorf("%d of %d damaged files are not fine, want most: what is flipped is all over the file", found, *damages)
	}
}

// dataFile returns a data file without the part that was never written to.
func dataFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cloud.db")
	cloud, err := sim.Open(t.Context(), sim.Config{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if _, err := cloud.Core().CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := cloud.Core().SaveSnapshot(t.Context(), simcloud.SnapshotSpec{Name: "small"}); err != nil {
		t.Fatal(err)
	}
	if err := cloud.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path + ".snapshots/small.db")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
