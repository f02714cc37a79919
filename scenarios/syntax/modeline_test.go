package syntax_test

import (
	"bytes"
	"io/fs"
	"path"
	"path/filepath"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestModelines: an editor finds the schema by the first line of each file of the library.
func TestModelines(t *testing.T) {
	err := fs.WalkDir(scenarios.Library, scenarios.LibraryFolder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".yaml" {
			return err
		}
		raw, err := fs.ReadFile(scenarios.Library, name)
		if err != nil {
			return err
		}
		to, err := filepath.Rel(filepath.FromSlash(path.Dir(name)), "schema.json")
		if err != nil {
			return err
		}
		if want := scenarios.Modeline(filepath.ToSlash(to)); !bytes.HasPrefix(raw, []byte(want)) {
			t.Errorf("%s does not begin with %q", name, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
