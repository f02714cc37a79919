package gobuild

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnpack: each file of a module is where the build looks for it.
func TestUnpack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "src")
	if err := unpack([]byte("comment\n-- go.mod --\nmodule x\n-- main.go --\npackage main\n"), dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"go.mod": "module x\n", "main.go": "package main\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
}

// TestHash: another module, another set of arguments and another program is another path.
func TestHash(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	base := Program{Name: "a", Folder: "f", Args: []string{"build"}, Module: []byte("-- go.sum --\nx v1 h1:a\n")}
	module, args, name := base, base, base
	module.Module, args.Args, name.Name = []byte("-- go.sum --\nx v1 h1:b\n"), []string{"build", "-trimpath"}, "b"
	paths := map[string]bool{}
	for _, p := range []Program{base, module, args, name} {
		path, err := p.Path()
		if err != nil || !strings.Contains(path, "f-"+p.Hash()) {
			t.Errorf("got %q, %v", path, err)
		}
		paths[path] = true
	}
	if len(paths) != 4 {
		t.Errorf("%d paths for 4 programs: %v", len(paths), paths)
	}
}
