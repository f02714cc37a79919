package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnusableScenarios: what cannot be run is told before anything starts, with exit code 2.
func TestUnusableScenarios(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.yaml")
	text := "apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: bad}\nspec:\n  description: d\n  steps:\n  - expect: nodez.size() == 1\n    wihtin: 3s\n"
	if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SIMCLOUD_CCM", "/no/such/binary")
	tests := []struct {
		args []string
		says string
	}{
		{[]string{"lint", bad}, bad + ":7:13: undeclared reference to 'nodez'"},
		{[]string{"lint", dir}, bad + `:8:5: the step expect has no key "wihtin" ("within"?)`},
		{[]string{"lint"}, "lint needs a file"},
		{[]string{"lint", filepath.Join(dir, "none")}, "no such file"},
		{[]string{"test", bad}, bad + ":7:13"},
		{[]string{"test", "-l", "tier=none"}, `--selector "tier=none" matches none of 4 scenarios`},
		{[]string{"test", "-l", "("}, "--selector"},
		{[]string{"test", "--parallel", "0"}, "--parallel is 0"},
		{[]string{"test", "--seed", "x"}, "--seed"},
		{[]string{"test", "--ccm", "/no/such/ccm"}, "--ccm"},
		{[]string{"test"}, "SIMCLOUD_CCM"},
		{[]string{"test", "--ccm", "none", "--kube", "/no/such/kube"}, "--kube"},
		{[]string{"test", "--ccm", "none", "--report", filepath.Join(bad, "x")}, `--report "` + filepath.Join(bad, "x") + `" is not a folder`},
	}
	for _, test := range tests {
		code, out, errs := simcloudMain(test.args...)
		if code != exitUsage || !strings.Contains(errs, test.says) || out != "" {
			t.Errorf("%v: code %d, %q, %q; want 2 and %q", test.args, code, out, errs, test.says)
		}
	}
}

// TestRunFolder: what a killed run has left goes with the next one; what a living one needs stays.
func TestRunFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dead, err := openRunFolder()
	if err != nil {
		t.Fatal(err)
	}
	if err := dead.lock.Close(); err != nil { // as the kernel does for a process that is killed
		t.Fatal(err)
	}
	living, err := openRunFolder()
	if err != nil {
		t.Fatal(err)
	}
	next, err := openRunFolder()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		runFolder
		want bool
	}{{dead, false}, {living, true}, {next, true}} {
		if _, err := os.Stat(f.path); (err == nil) != f.want {
			t.Errorf("%s: %v, want it there: %v", f.path, err, f.want)
		}
	}
	for _, f := range []runFolder{living, next} {
		if err := f.remove(); err != nil {
			t.Error(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestLintOfTheLibrary(t *testing.T) {
	code, out, errs := simcloudMain("lint", "../../scenarios/library")
	if code != exitOK || strings.Count(out, "is in order") != 4 {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	if code, out, _ = simcloudMain("lint", "--schema"); code != exitOK || !strings.HasPrefix(out, "{") {
		t.Errorf("the schema: code %d, %q", code, out)
	}
}
