package tools_test

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/kind/tools"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestEveryProgramIsBuiltOnceAsAStaticBinary(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	emptyCache(t)
	for _, name := range tools.Names() {
		t.Run(name, func(t *testing.T) {
			var said []string
			path, err := tools.Build(t.Context(), name, func(line string) { said = append(said, line) })
			if err != nil {
				t.Fatal(err)
			}
			requireStatic(t, path)
			if rest, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(rest) != 1 || len(said) != 1 {
				t.Errorf("in its folder are %v, it said %v; want the binary alone, and one line", rest, said)
			}
			again, err := tools.Build(t.Context(), name, func(line string) { t.Errorf("again: %s", line) })
			if err != nil || again != path {
				t.Errorf("again: got %s, %v, want %s", again, err, path)
			}
			hash, err := tools.Hash(name)
			if err != nil || !strings.Contains(path, hash) {
				t.Errorf("%s does not have the hash %s of its sources (%v)", path, hash, err)
			}
		})
	}
}

// emptyCache makes the user's cache folder an empty one, but for what Go itself keeps there.
func emptyCache(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

// requireStatic fails the test unless the file is a Linux program that needs no loader.
func requireStatic(t *testing.T, path string) {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			t.Errorf("%s needs a loader", path)
		}
	}
}

func TestProgramsUseTheStandardLibraryAlone(t *testing.T) {
	t.Parallel()
	for _, name := range tools.Names() {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./"+name).Output()
		if err != nil {
			t.Fatal(err)
		}
		if deps := strings.Fields(string(out)); len(deps) != 1 {
			t.Errorf("%s depends on %v", name, deps)
		}
	}
}

func TestWhatCannotBeBuilt(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if _, err := tools.Build(t.Context(), "nope", nil); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), "ociwrap") {
		t.Errorf("unknown: %v, want %s and the names there are", err, simcloud.Invalid)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := tools.Build(t.Context(), "ociwrap", nil); !errors.Is(err, simcloud.Unavailable) || !strings.Contains(err.Error(), "install Go") {
		t.Errorf("no Go: %v, want %s and advice", err, simcloud.Unavailable)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", blocked)
	if _, err := tools.Build(t.Context(), "ociwrap", nil); !errors.Is(err, simcloud.Unavailable) {
		t.Errorf("no cache folder: %v, want %s", err, simcloud.Unavailable)
	}
}
