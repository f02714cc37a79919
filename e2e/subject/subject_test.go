package subject

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/simcloud-dev/simcloud/simcloud"
)

var update = flag.Bool("update", false, "rewrite the archives of the modules")

// TestModules: the embedded modules are those beside this file, one for each row, and each requires what the row says.
func TestModules(t *testing.T) {
	for _, s := range All() {
		want := txtar.Format(pack(t, s.Name))
		if *update {
			if err := os.WriteFile(s.Name+".txtar", want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := modules.ReadFile(s.Name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s.txtar is not %[1]s/go.mod and go.sum; run go generate ./e2e/subject (-want +got):\n%s", s.Name, diff)
		}
		module, _, _ := strings.Cut(s.Package, "/cmd/")
		for _, line := range []string{"go " + goRequired, "tool " + s.Package + "\n", "\t" + module + " " + s.Version + " "} {
			if !strings.Contains(string(got), "\n"+line) {
				t.Errorf("%s/go.mod has no line %q", s.Name, line)
			}
		}
	}
}

func pack(t *testing.T, dir string) *txtar.Archive {
	t.Helper()
	archive := &txtar.Archive{Comment: []byte("Code generated from e2e/subject/" + dir + " by go generate; DO NOT EDIT.\n")}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: data})
	}
	return archive
}

func TestFind(t *testing.T) {
	t.Parallel()
	if s, err := Find("aws"); err != nil || s.Binary != "aws-cloud-controller-manager" {
		t.Errorf("got %+v, %v", s, err)
	}
	if _, err := Find("awz"); err == nil || err.Error() != `subject "awz" not found (have aws)` {
		t.Errorf("got %v, want an error that has the names", err)
	}
}

// script writes a program. No child is forked meanwhile: it would hold the file open, which could not be run then.
func script(t *testing.T, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestBuild: a program is built once, of its own module, and is found from then on; before, the error has the command
// that builds it.
func TestBuild(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	bin := t.TempDir()
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	count := filepath.Join(t.TempDir(), "count")
	t.Setenv("COUNT", count)
	script(t, filepath.Join(bin, "go"), `[ "$1" = build ] || exit 0
grep -q '^module .*/e2e/subject/aws$' go.mod && [ -f go.sum ] || { echo "wrong module in $PWD"; exit 1; }
[ "$CGO_ENABLED" = 0 ] && [ "$2" = -trimpath ] || { echo "wrong flavour"; exit 1; }
for last in "$@"; do :; done
echo "$last" >> "$COUNT"
while [ "$1" != -o ]; do shift; done
echo '#!/bin/sh' > "$2" && chmod 755 "$2"
`)
	aws, err := Find("aws")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := aws.Program(); !errors.Is(err, simcloud.Unavailable) || !strings.Contains(err.Error(), `"simcloud subject build aws"`) {
		t.Errorf("before the build: got %v, want Unavailable that has the command", err)
	}
	var said []string
	for range 2 {
		path, err := aws.Build(t.Context(), func(line string) { said = append(said, line) })
		if err != nil || filepath.Base(path) != aws.Binary {
			t.Fatalf("got %q, %v", path, err)
		}
		if found, err := aws.Program(); found != path || err != nil {
			t.Errorf("after the build: got %q, %v, want %q", found, err, path)
		}
	}
	if built, err := os.ReadFile(count); string(built) != aws.Package+"\n" {
		t.Errorf("built %q (%v), want its package once", built, err)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, aws.Version) || !strings.Contains(all, "about 5 minutes") {
		t.Errorf("progress: %s", all)
	}
}
