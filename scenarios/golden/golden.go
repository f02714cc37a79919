// Package golden compares what a test has made with a file beside it. With the flag
// -update the file is written instead. Only tests import it.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Check compares with a file, or writes it with -update.
func Check(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// Archives runs f on each archive of a folder: what f makes of the first file
// has to be the second, which is called "want".
func Archives(t *testing.T, pattern string, f func(t *testing.T, in txtar.File) string) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no file is %s (%v)", pattern, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			archive := txtar.Parse(raw)
			got := f(t, archive.Files[0])
			archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
			if *update || !bytes.Equal(raw, txtar.Format(archive)) {
				Check(t, name, txtar.Format(archive))
			}
		})
	}
}
