package sim

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestScratchIsSwept: a start removes what dead clouds have left, and nothing else.
func TestScratchIsSwept(t *testing.T) {
	t.Parallel()
	in := t.TempDir()
	start := func() *Cloud {
		cloud, err := Open(t.Context(), Config{Ephemeral: true, Scratch: in})
		if err != nil {
			t.Fatal(err)
		}
		return cloud
	}
	reopened, err := start().Reopen(t.Context(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	dead, err := newScratch(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := dead.lock.Close(); err != nil { // as the kernel does when a process dies
		t.Fatal(err)
	}
	justMade := filepath.Join(in, "simcloud-ephemeral-new")
	foreign := filepath.Join(in, "simcloud-data")
	for _, dir := range []string{justMade, foreign} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	next := start()
	for dir, stays := range map[string]bool{dead.dir: false, justMade: true, foreign: true, reopened.scratch.dir: true} {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) == stays {
			t.Errorf("%s: %v, want it to stay: %t", dir, err, stays)
		}
	}
	for _, cloud := range []*Cloud{reopened, next} {
		dir := cloud.scratch.dir
		if err := cloud.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of a cloud that was closed: %v", dir, err)
		}
	}
}
