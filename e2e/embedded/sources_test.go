package embedded

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite kube.txtar")

// TestSources fails when the embedded sources are not those of e2e/kube.
func TestSources(t *testing.T) {
	want := txtar.Format(pack(t, "../kube"))
	if *update {
		if err := os.WriteFile("kube.txtar", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), string(sources)); diff != "" {
		t.Errorf("kube.txtar is not e2e/kube; run go generate ./e2e/embedded (-want +got):\n%s", diff)
	}
}

// pack reads what a build needs of a module that is one package.
func pack(t *testing.T, dir string) *txtar.Archive {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	archive := &txtar.Archive{Comment: []byte("Code generated from e2e/kube by go generate; DO NOT EDIT.\n")}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || strings.HasSuffix(name, "_test.go") || !strings.HasPrefix(name, "go.") && filepath.Ext(name) != ".go" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: data})
	}
	return archive
}

// TestVersion keeps the constants to what the module requires.
func TestVersion(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"k8s.io/kubernetes " + KubernetesVersion, "go " + goRequired} {
		if !strings.Contains(string(sources), "\n"+line) && !strings.Contains(string(sources), "\t"+line+"\n") {
			t.Errorf("go.mod of e2e/kube has no %q", line)
		}
	}
}
