package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// fakeKubectl puts a program that is called kubectl into a folder.
func fakeKubectl(t *testing.T, dir, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestKubectl runs the kubectl in PATH, or else that of the sandbox, with the sandbox's kubeconfig, kubectl's own
// flags and its exit code.
func TestKubectl(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("KUBECONFIG", "/mine")
	tools, brought := t.TempDir(), t.TempDir()
	t.Setenv("PATH", tools)
	if code, _, errs := simcloudMain("kubectl", "get", "nodes"); code != exit.CodeEnvironment || !strings.Contains(errs, "simcloud up") {
		t.Errorf("without a sandbox: code %d, %s", code, errs)
	}
	state := sandbox.State{Name: "second", Phase: sandbox.PhaseReady, Endpoint: "http://127.0.0.1:1", Kubeconfig: "/k", Path: brought}
	s := testSandbox(t, state.Name)
	runs(t, s, state)
	fakeKubectl(t, brought, `echo brought`)
	if code, out, errs := simcloudMain("kubectl", "get", "nodes"); code != exit.CodeOK || out != "brought\n" {
		t.Errorf("without a kubectl in PATH: code %d, %s%s", code, out, errs)
	}
	fakeKubectl(t, tools, `echo "$KUBECONFIG: $*"; echo no such node >&2; exit 7`)
	code, out, errs := simcloudMain("kubectl", "--sandbox", "second", "get", "node/x", "-o", "wide", "--sandbox", "y")
	if code != 7 || out != "/k: get node/x -o wide --sandbox y\n" || errs != "no such node\n" {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	if code, out, _ := simcloudMain("kubectl", "--", "-n", "x", "get", "pods"); code != 7 || out != "/k: -n x get pods\n" {
		t.Errorf("after --: code %d, %q", code, out)
	}
	if code, out, errs := simcloudMain("kubectl", "-n", "x", "get", "pods"); code != exit.CodeUsage || out != "" || !strings.Contains(errs, "or after --") {
		t.Errorf("a flag of kubectl before its command: code %d, %q, %q", code, out, errs)
	}
	state.Path = ""
	t.Setenv("PATH", t.TempDir())
	if err := s.WriteState(state); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := simcloudMain("kubectl", "get", "nodes"); code != exit.CodeEnvironment || !strings.Contains(errs, "kubectl not found in PATH") {
		t.Errorf("without any kubectl: code %d, %s", code, errs)
	}
}
