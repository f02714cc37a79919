package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
)

// tree is a module whose tests pass, fail, and fail only once.
var tree = map[string]string{
	"go.mod":                                 "module example.com/tree\n\ngo 1.26\n",
	"e2e/kube/go.mod":                        "module example.com/tree/e2e/kube\n\ngo 1.26\n",
	"e2e/kube/k.go":                          "package kube\n",
	"e2e/kube/k_test.go":                     "package kube\n\nimport \"testing\"\n\nfunc TestKube(t *testing.T) {}\n",
	"simcloud/dialect/aws/sdktest/go.mod":    "module example.com/tree/sdktest\n\ngo 1.26\n",
	"simcloud/dialect/aws/sdktest/s_test.go": "package sdktest\n\nimport \"testing\"\n\nfunc TestSDK(t *testing.T) {}\n",
	"e2e/planetest/p.go":                     "package planetest\n\nimport \"testing\"\n\nfunc Cluster(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip(\"" + planetest.NeedsCluster + "\")\n\t}\n}\n",
	"ccm/ccm_test.go":                        "package ccm\n\nimport \"testing\"\n\nfunc TestCallsMayFail(t *testing.T) {}\n",
	"plain/plain_test.go": `package plain

import "testing"

func TestPlain(t *testing.T) {}
`,
	"clusters/clusters_test.go": `package clusters

import (
	"os"
	"testing"

	"example.com/tree/e2e/planetest"
)

func TestShort(t *testing.T) {}

func TestPart(t *testing.T) {
	t.Run("Needs", func(t *testing.T) { planetest.Cluster(t) })
}

func TestFlaky(t *testing.T) {
	planetest.Cluster(t)
	t.Run("Always", func(t *testing.T) {})
	t.Run("Once[a=1]", func(t *testing.T) {
		if _, err := os.Stat("../seen"); err != nil {
			_ = os.WriteFile("../seen", nil, 0o600)
			t.Error("not this time")
		}
	})
}

func TestNever(t *testing.T) {
	planetest.Cluster(t)
	if os.Getenv("TREE_FAILS") != "" {
		t.Error("never")
	}
}
`,
}

// runGate runs the gate on the tree, and returns its exit code and what it printed.
func runGate(t *testing.T, dir string, args ...string) (code int, out string) {
	t.Helper()
	return runGateWith(t, dir, "off", args...)
}

// runGateWith does the same with a Go workspace.
func runGateWith(t *testing.T, dir, workspace string, args ...string) (code int, out string) {
	t.Helper()
	for name, text := range tree {
		write1(t, filepath.Join(dir, name), text)
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", workspace)
	t.Setenv("GOFLAGS", "")
	for _, name := range []string{planetest.EnvNightly, planetest.EnvSample, "SIMCLOUD_TOUCHED"} {
		t.Setenv(name, "") // which the gate sets
	}
	var b bytes.Buffer
	code = run(t.Context(), append([]string{"--ledger", filepath.Join(dir, "ledger")}, args...), &b, &b)
	return code, b.String()
}

func contains(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%s has no %q:\n%s", what, word, text)
		}
	}
}

// write1 writes a file and makes its folder.
func write1(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read1(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestCannotRun: an error of the gate itself is in the summary, and no summary of an earlier run stays.
func TestCannotRun(t *testing.T) {
	dir := t.TempDir()
	write1(t, filepath.Join(dir, "out", "gate", "summary.txt"), "tests: 10 passed, 0 failed, 0 skipped\n")
	write1(t, filepath.Join(dir, "go.work"), "nonsense")
	code, _ := runGateWith(t, dir, filepath.Join(dir, "go.work"))
	if code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	summary := read1(t, filepath.Join(dir, "out", "gate", "summary.txt"))
	contains(t, "the summary", summary, "the tests could not be run: list the packages: ", "go.work")
	if strings.Contains(summary, "10 passed") {
		t.Errorf("the summary is of another run:\n%s", summary)
	}
}

// TestOnly: --run takes tests that need no cluster, too, and runs once more what fails.
func TestOnly(t *testing.T) {
	code, out := runGate(t, t.TempDir(), "--run", "^TestFlaky$", "./clusters")
	if code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	contains(t, "the output", out, "flaky: example.com/tree/clusters TestFlaky/Once[a=1]", "tests: 3 passed, 0 failed, 0 skipped\n")
	if code, out := runGate(t, t.TempDir(), "./clusters"); code != 2 || !strings.Contains(out, "packages need --run") {
		t.Errorf("packages without --run: exit code %d, %s", code, out)
	}
}
