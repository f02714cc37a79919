package nodeimage

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestPruneKeepsWhatWasUsedLast(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	c, err := openCache()
	if err != nil {
		t.Fatal(err)
	}
	add := func(age int, names ...string) {
		t.Helper()
		for _, name := range names {
			when := time.Now().Add(-time.Duration(age) * time.Hour)
			if err := errors.Join(os.WriteFile(c.path(name), nil, 0o600), os.Chtimes(c.path(name), when, when)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for age, hash := range []string{"a", "b", "c", "d", "e"} {
		add(age, "simcloud-node-"+hash+".json", "simcloud-node-"+hash+".tar", "root-bookworm-"+hash+".tar", "programs-"+hash, "node-"+hash+".tar", "images-"+hash+".tar")
	}
	add(0, "simcloud-node-half.tar", "simcloud-node-x.json.part", "programs-x.part", "root-x.tar.part", "lock")
	if _, err := c.whole("programs-e", nil); err != nil { // it is used
		t.Fatal(err)
	}
	if err := c.prune(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range c.matches("*") {
		names = append(names, filepath.Base(path))
	}
	want := []string{"lock", "programs-a", "programs-b", "programs-e"}
	for _, hash := range []string{"a", "b", "c"} {
		want = append(want, "root-bookworm-"+hash+".tar", "simcloud-node-"+hash+".json", "simcloud-node-"+hash+".tar", "node-"+hash+".tar", "images-"+hash+".tar")
	}
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(names, " "), strings.Join(want, " "))
	}
}

func TestOnlyRootBuilds(t *testing.T) {
	t.Parallel()
	if err := requireRoot(0); err != nil {
		t.Error(err)
	}
	if err := requireRoot(1000); !errors.Is(err, simcloud.Unavailable) || !strings.Contains(err.Error(), "root") {
		t.Errorf("got %v, want %s", err, simcloud.Unavailable)
	}
}
