package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestSourceOf: of a file with several scenarios it is the one, with the line where it begins.
func TestSourceOf(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "two.yaml")
	if err := os.WriteFile(file, []byte("# both\nname: one\n--- # next\n\nname: two\nsteps: []\n\n---\nname: three\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(file string, line int) *scenarios.Source {
		return sourceOf(&scenarios.Scenario{Position: scenarios.Position{File: file, Line: line}})
	}
	for line, want := range map[int]*scenarios.Source{
		2: {Line: 1, Text: "# both\nname: one"}, 5: {Line: 5, Text: "name: two\nsteps: []"}, 9: {Line: 9, Text: "name: three"}, 0: nil, 99: nil,
	} {
		if diff := cmp.Diff(want, at(file, line)); diff != "" {
			t.Errorf("line %d (-want +got):\n%s", line, diff)
		}
	}
	if got := at(filepath.Join(t.TempDir(), "none.yaml"), 1); got != nil {
		t.Errorf("of a file that is not there: %+v", got)
	}
	all, err := Library()
	if err != nil {
		t.Fatal(err)
	}
	if got := sourceOf(all[0]); got == nil || !strings.Contains(got.Text, "name: "+all[0].Base) {
		t.Errorf("of the library's %s: %+v", all[0].Name, got)
	}
}
