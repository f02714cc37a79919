package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// dockerWithALeftover is a docker command in whose engine are a network and a
// container of a run that was killed. It writes to the file calls what it removes.
func dockerWithALeftover(t *testing.T) (calls string) {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	calls = filepath.Join(dir, "calls")
	labels := fmt.Sprintf(`{"dev.simcloud.cluster":"test-1","dev.simcloud.lock":%q,"dev.simcloud.host":%q}`, filepath.Join(dir, "gone"), host)
	script := `#!/bin/sh
case "$1 $2" in
"version --format") echo '{"Client":{"Version":"28.0"},"Server":{"Version":"28.0"}}';;
"info --format") echo '{}';;
"network ls") echo net;;
"network inspect") echo '[{"Name":"net","Labels":` + labels + `}]';;
"ps --all") echo c1;;
"container inspect") echo '[{"Name":"/node-1","Config":{"Labels":` + labels + `}}]';;
*) echo "$*" >>` + calls + `;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	return calls
}

func TestDownRemovesWhatKilledRunsLeft(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SIMCLOUD_SANDBOX", "")
	t.Setenv("TMPDIR", t.TempDir())
	calls := dockerWithALeftover(t)
	dead, deadErr := openRunFolder()
	alive, aliveErr := openRunFolder()
	if err := errors.Join(deadErr, aliveErr, dead.lock.Close()); err != nil { // the kernel does so when one is killed
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = alive.lock.Close() })
	code, _, errs := simcloudMain("down")
	if code != exit.CodeOK || !strings.Contains(errs, "There is no sandbox default") || !strings.Contains(errs, "the cluster test-1 (containers: 1, networks: 1)") {
		t.Errorf("code %d, %s", code, errs)
	}
	if removed, err := os.ReadFile(calls); err != nil || string(removed) != "rm --force --volumes node-1\nnetwork rm net\n" {
		t.Errorf("%v; it removed:\n%s", err, removed)
	}
	if _, err := os.Stat(dead.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of a dead run: %v", err)
	}
	if _, err := os.Stat(alive.path); err != nil {
		t.Errorf("the folder of a run that lives: %v", err)
	}
}

// TestDownSaysOnceWhatItCannotRemove: a run in an existing cluster whose context is gone is looked for once.
func TestDownSaysOnceWhatItCannotRemove(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SIMCLOUD_SANDBOX", "")
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("PATH", t.TempDir()) // no engine
	records, err := existingRecords()
	if err != nil {
		t.Fatal(err)
	}
	record := fmt.Sprintf(`{"run": "run-x", "kubeconfig": [%q], "context": "dev"}`, filepath.Join(records, "gone"))
	err = os.MkdirAll(records, 0o700)
	if err := errors.Join(err, os.WriteFile(filepath.Join(records, "run-x.json"), []byte(record), 0o600)); err != nil {
		t.Fatal(err)
	}
	code, _, errs := simcloudMain("down")
	if code != exit.CodeEnvironment || strings.Count(errs, "removing what the run run-x left") != 1 || strings.Count(errs, "when the cluster is gone, delete") != 1 {
		t.Errorf("code %d, %s", code, errs)
	}
}
