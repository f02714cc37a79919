package core_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// killFile, in the environment, makes TestCreateUntilKilled create instances
// in that file until it is killed.
const killFile = "SIMCLOUD_TEST_KILL_FILE"

// TestCreateUntilKilled is the victim of TestKill: a process of its own.
func TestCreateUntilKilled(t *testing.T) {
	path := os.Getenv(killFile)
	if path == "" {
		t.Skip("runs in the process that TestKill starts")
	}
	cloud := openAt(t, path, store.Options{}, core.Config{})
	var workers sync.WaitGroup
	for range 16 {
		workers.Go(func() {
			for {
				r, err := cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})
				if err != nil {
					return
				}
				fmt.Fprintln(os.Stderr, r.Resource.ID) // from now on it is acknowledged
			}
		})
	}
	workers.Wait()
}

// TestKill: what was acknowledged before a kill -9 is there after it.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	for range 3 {
		acknowledged := createAndKill(t, path)
		cloud := openAt(t, path, store.Options{}, core.Config{})
		for _, id := range acknowledged {
			if _, err := cloud.GetInstance(t.Context(), id); err != nil {
				t.Errorf("%s was acknowledged: %v", id, err)
			}
		}
		if err := cloud.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	}
}

// createAndKill runs the victim until it has created some, and returns all that it acknowledged.
func createAndKill(t *testing.T, path string) []simcloud.ID {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCreateUntilKilled$")
	cmd.Env = append(os.Environ(), killFile+"="+path)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var ids []simcloud.ID
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		ids = append(ids, simcloud.ID(lines.Text()))
		if len(ids) == 200 {
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || len(ids) < 200 {
		t.Fatalf("the victim ended by itself after %d: %v", len(ids), err)
	}
	return ids
}
