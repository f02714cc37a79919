package syntax_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// loader reads scenarios whose steps have all verbs.
func loader() syntax.Loader { return syntax.Loader{Verbs: step.Verbs()} }

// library reads the library once: its expressions take most of a second to compile.
var library = sync.OnceValues(loader().Library)

// TestLint pins what is said of files that cannot be used, and where.
func TestLint(t *testing.T) {
	golden.Archives(t, "testdata/lint/*.txtar", func(_ *testing.T, in txtar.File) string {
		if _, err := loader().Parse(in.Name, in.Data); err != nil {
			return err.Error() + "\n"
		}
		return ""
	})
}

func TestLibraryLoads(t *testing.T) {
	all, err := library()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		base := strings.TrimSuffix(filepath.Base(s.Position.File), ".yaml")
		if s.Base != base {
			t.Errorf("%s is in the file %s", s.Name, s.Position.File)
		}
		if s.Labels["tier"] == "" || s.Labels["area"] == "" {
			t.Errorf("%s lacks the labels tier and area: %v", s.Name, s.Labels)
		}
		// What a step waits for that is no matter of the CCM, such as a Node that is not ready, needs no words.
		if !slices.ContainsFunc(s.Steps, func(step scenarios.Step) bool { return step.Because != "" }) {
			t.Errorf("%s: no step says what a CCM must do", s.Position)
		}
	}
}

func TestLoadNamesTwins(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("../library/route-creation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.yaml", "b.yml"} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := loader().Load(dir); err == nil || !strings.Contains(err.Error(), "is taken by") {
		t.Errorf("two scenarios of one name: %v", err)
	}
	if _, err := loader().Load(filepath.Join(dir, "a.yaml")); err != nil {
		t.Errorf("one of them: %v", err)
	}
	for _, bad := range []string{filepath.Join(dir, "none.yaml"), t.TempDir()} {
		_, err := loader().Load(bad)
		if !scenarios.IsBadInput(err) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if scenarios.IsBadInput(errors.New("other")) {
		t.Error("any error is bad input")
	}
}

func TestSchema(t *testing.T) {
	got, err := syntax.Schema(step.Verbs())
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../schema.json", got)
}

// FuzzParse: whatever the file, there is a scenario or an error with a position, and no panic.
func FuzzParse(f *testing.F) {
	names, _ := filepath.Glob("../library/*/*.yaml")
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	archives, _ := filepath.Glob("testdata/lint/*.txtar")
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("- x"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, err := loader().Parse("f.yaml", raw)
		if (err == nil) != (len(all) > 0) {
			t.Errorf("%d scenarios and the error %v", len(all), err)
		}
	})
}
