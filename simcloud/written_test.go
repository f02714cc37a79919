package simcloud_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWrittenOnDisk: packages that keep files write, name and make folders
// through package store, which syncs them: what was synced alone may be gone
// after a loss of power.
func TestWrittenOnDisk(t *testing.T) {
	t.Parallel()
	unsynced := []string{"WriteFile", "Create", "CreateTemp", "OpenFile", "Mkdir", "MkdirAll", "Rename"}
	files := 0
	for _, dir := range []string{"core", "sim"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") || path == filepath.Join("sim", "scratch.go") { // that is gone with its process
				continue
			}
			files++
			for _, call := range callsOfOS(t, path) {
				if slices.Contains(unsynced, call) {
					t.Errorf("%s calls os.%s: package store has one that syncs", path, call)
				}
			}
		}
	}
	if files < 20 {
		t.Errorf("the test has looked at %d files only", files)
	}
}

// callsOfOS are the names that a file takes from package os.
func callsOfOS(t *testing.T, path string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := selector.X.(*ast.Ident); ok && pkg.Name == "os" {
				names = append(names, selector.Sel.Name)
			}
		}
		return true
	})
	return names
}
