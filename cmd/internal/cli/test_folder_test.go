package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// TestAnEarlyEndLeavesNoFolder: whether a cluster cannot start, or the run is
// interrupted while one starts, nothing of it is left where temporary files are.
func TestAnEarlyEndLeavesNoFolder(t *testing.T) {
	for name, run := range map[string]struct {
		kube string // what its control plane does
		args []string
		code int
	}{
		"Fails":       {"echo there is no room; exit 1", nil, exit.CodeEnvironment},
		"Interrupted": {"exec sleep 1000", []string{"--timeout", "1s"}, exit.CodeFailed},
	} {
		t.Run(name, func(t *testing.T) {
			kube := fakeKube(t, run.kube)
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			args := []string{"test", "-l", "name=node-deletion", "--ccm", "none", "--kube", kube}
			if code, out, errs := simcloudMain(append(args, run.args...)...); code != run.code {
				t.Errorf("the exit code is %d, want %d\n%s%s", code, run.code, out, errs)
			}
			if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
				t.Errorf("%v is left, %v", left, err)
			}
		})
	}
}

// fakeKube is a control plane each part of which is a shell script. It needs no slot of the machine.
func fakeKube(t *testing.T, script string) string {
	t.Helper()
	t.Setenv("SIMCLOUD_SLOTS", "0")
	kube := filepath.Join(t.TempDir(), "kube")
	if err := os.WriteFile(kube, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return kube
}
