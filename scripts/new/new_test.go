package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// part is a part that TestNew begins.
type part struct {
	kind string
	// packages are compiled with the new part in them.
	packages []string
	// test is the test that fails with "to do", and testIn its package.
	test, testIn string
}

var parts = []part{
	{"oracle", []string{"./scenarios/oracle"}, "TestNeverBeforeOracle", "./scenarios/oracle"},
	{"verb", []string{"./scenarios/step"}, "TestNeverBefore", "./scenarios/step"},
	{"backend", []string{"./e2e/neverbefore", "./cmd/internal/cli"}, "TestBackend", "./e2e/neverbefore"},
	{"resource", []string{
		"./simcloud/core", "./simcloud/server", "./simcloud/client", "./cmd/internal/cli/resource", "./scenarios/observe",
	}, "TestNeverBefores", "./simcloud/core"},
	{"dialect", []string{"./simcloud/dialect/neverbefore", "./simcloud/sim"}, "TestInstanceIsRead", "./simcloud/dialect/neverbefore"},
}

// TestNew begins a part of each kind beside the module, in an overlay, and
// compiles it there: the module itself stays as it is.
func TestNew(t *testing.T) {
	t.Parallel()
	for _, p := range parts {
		t.Run(p.kind, func(t *testing.T) {
			t.Parallel()
			n, err := parseName("never-before")
			if err != nil {
				t.Fatal(err)
			}
			files, err := kinds[p.kind].begin(root, n)
			if err != nil {
				t.Fatal(err)
			}
			overlay := overlayOf(t, files)
			if kinds[p.kind].generates {
				maps.Copy(files, generated(t, files, overlay))
				overlay = overlayOf(t, files)
			}
			if out, err := goTool(t.Context(), append([]string{"build", "-trimpath", "-overlay", overlay}, p.packages...)...); err != nil {
				t.Fatalf("what was begun does not compile: %v\n%s", err, out)
			}
			program := filepath.Join(t.TempDir(), "begun.test")
			if out, err := goTool(t.Context(), "test", "-c", "-vet=off", "-trimpath", "-overlay", overlay, "-o", program, p.testIn); err != nil {
				t.Fatalf("the test of what was begun does not compile: %v\n%s", err, out)
			}
			out, err := exec.CommandContext(t.Context(), program, "-test.run", "^"+p.test+"$").CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte("to do: ")) {
				t.Errorf("the test of what was begun must fail and tell what is to do: %v\n%s", err, out)
			}
		})
	}
}

// TestPartsAreAll: each kind is begun by TestNew.
func TestPartsAreAll(t *testing.T) {
	t.Parallel()
	for k := range kinds {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.kind == k }) {
			t.Errorf("TestNew begins no %s", k)
		}
	}
}

// limits are how many files a kind of part may touch by hand, its own package beside them.
var limits = map[string]int{"oracle": 5, "verb": 3, "resource": 12, "backend": 1 + 2, "dialect": 1 + 2}

// TestFilesAreCounted: docs/architecture.md tells how many files each kind of part touches, which are few.
func TestFilesAreCounted(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := parseName("never-before")
	if err != nil {
		t.Fatal(err)
	}
	for k, begun := range kinds {
		files, err := begun.begin(root, n)
		if err != nil {
			t.Fatal(err)
		}
		count := begun.more
		for path := range files {
			if !strings.HasSuffix(path, "_test.go") {
				count++
			}
		}
		if count > limits[k] {
			t.Errorf("a part of the kind %s touches %d files, want %d at most", k, count, limits[k])
		}
		if row := "(`go run ./scripts/new " + k + " NAME`; " + strconv.Itoa(count) + " files)"; !bytes.Contains(page, []byte(row)) {
			t.Errorf("docs/architecture.md has no row with %q", row)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"oracle"}, "want two arguments"},
		{[]string{"orakel", "x"}, "a kind (backend, dialect, oracle, resource, verb)"},
		{[]string{"oracle", "Node_Renamed"}, `the name "Node_Renamed" must be words`},
		{[]string{"oracle", "leak"}, "scenarios/oracle/oracle_leak.go exists: choose another name"},
	} {
		err := run(os.Stderr, root, test.args)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("new %s: %v, want %q", strings.Join(test.args, " "), err, test.want)
		}
	}
}

// TestWrite writes a part into a copy of the files that it changes.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, e := range kinds["oracle"].edits {
		source, err := os.ReadFile(filepath.Join(root, e.file))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, e.file), source)
	}
	var out bytes.Buffer
	if err := run(&out, dir, []string{"oracle", "never-before"}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"scenarios/oracle/oracle_never_before.go", "scenarios/scenario.go"} {
		source, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil || !strings.Contains(string(source), `"never-before"`) || !strings.Contains(out.String(), "wrote "+path+"\n") {
			t.Errorf("%s: %v\n%s\n%s", path, err, source, out.String())
		}
	}
}

// generated returns what scripts/generate writes for a model with these files in it.
func generated(t *testing.T, files map[string][]byte, overlay string) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	model, err := filepath.Glob(filepath.Join(root, "simcloud", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range model {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "simcloud", filepath.Base(path)), source)
	}
	for path, source := range files {
		write(t, filepath.Join(dir, path), source)
	}
	written := []string{"simcloud/client/zz_generated.go", "simcloud/client/zz_around.go", "simcloud/server/zz_routes.go"}
	for _, path := range written {
		write(t, filepath.Join(dir, path), nil)
	}
	if out, err := goTool(t.Context(), "run", "-trimpath", "-overlay", overlay, "./scripts/generate", dir); err != nil {
		t.Fatalf("generate: %v\n%s", err, out)
	}
	found := map[string][]byte{}
	for _, path := range written {
		if found[path], err = os.ReadFile(filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// overlayOf is a file for -overlay: the go command then sees these files in the module.
func overlayOf(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for path, source := range files {
		write(t, filepath.Join(dir, path), source)
		replace[filepath.Join(module, path)] = filepath.Join(dir, path)
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	write(t, overlay, raw)
	return overlay
}

func write(t *testing.T, path string, source []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, source, 0o600); err != nil {
		t.Fatal(err)
	}
}

// goTool runs the go command in the module, as the programs are built.
func goTool(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	return cmd.CombinedOutput()
}
