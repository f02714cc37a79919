package core_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// killSnapshots, in the environment, makes TestSaveUntilKilled save snapshots
// of that file until it is killed.
const killSnapshots = "SIMCLOUD_TEST_KILL_SNAPSHOTS"

// TestSaveUntilKilled is the victim of TestKillWhileSaving: a process of its own.
func TestSaveUntilKilled(t *testing.T) {
	path := os.Getenv(killSnapshots)
	if path == "" {
		t.Skip("runs in the process that TestKillWhileSaving starts")
	}
	cloud := openAt(t, path, store.Options{NoSync: true}, core.Config{})
	for n := range 300 {
		create(t, cloud, fmt.Sprintf("i%d", n))
	}
	for n := range 50 { // the parent may be slow to kill it, and has to look at each
		saved, err := cloud.SaveSnapshot(t.Context(), simcloud.SnapshotSpec{Name: fmt.Sprintf("s%d", n)})
		if err != nil {
			return
		}
		fmt.Fprintln(os.Stderr, saved.Name)
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent, if it is not killed
}

// TestKillWhileSaving: after a kill -9 each snapshot that has a name is whole,
// all that were acknowledged are there, and the next one removes what is left.
func TestKillWhileSaving(t *testing.T) {
	t.Parallel()
	for round := range 3 {
		path := filepath.Join(t.TempDir(), "cloud.db")
		acknowledged := saveAndKill(t, path, time.Duration(round)*7*time.Millisecond)
		cloud := openAt(t, path, store.Options{}, core.Config{})
		found := map[string]bool{}
		for _, snapshot := range must[[]simcloud.Snapshot](t)(cloud.ListSnapshots(t.Context())) {
			found[snapshot.Name] = true
			if _, err := cloud.LoadSnapshot(t.Context(), simcloud.ID(snapshot.Name)); err != nil {
				t.Error(err)
			}
			if state := must[simcloud.State](t)(cloud.GetState(t.Context())); len(state.Instances) != 300 {
				t.Errorf("%s has %d instances", snapshot.Name, len(state.Instances))
			}
		}
		for _, name := range acknowledged {
			if !found[name] {
				t.Errorf("%s was acknowledged", name)
			}
		}
		save(t, cloud, "after")
		for _, file := range must[[]os.DirEntry](t)(os.ReadDir(path + ".snapshots")) {
			if name := strings.TrimSuffix(file.Name(), ".db"); name != "after" && !found[name] {
				t.Errorf("%s is left", file.Name())
			}
		}
	}
}

// saveAndKill runs the victim until it has saved some, and a while longer.
func saveAndKill(t *testing.T, path string, later time.Duration) (names []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSaveUntilKilled$")
	cmd.Env = append(os.Environ(), killSnapshots+"="+path)
	if _, err := cmd.StdinPipe(); err != nil { // which stays open until the victim has ended
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if names = append(names, lines.Text()); len(names) == 3 {
			time.AfterFunc(later, func() { _ = cmd.Process.Kill() }) // at whatever it is then
		}
	}
	if err := cmd.Wait(); err == nil || len(names) < 3 {
		t.Fatalf("the victim ended by itself after %v: %v", names, err)
	}
	return names
}
