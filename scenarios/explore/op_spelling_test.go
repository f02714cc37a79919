package explore

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestSavedHistories: a history that was saved is read as it was.
func TestSavedHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := saved{
			History:  histories(AllAreas(), scenarios.AllCapabilities()).Draw(t, "history"),
			Shows:    rapid.SliceOfN(rapid.Map(rapid.String(), func(s string) feature { return feature(s) }), 1, 3).Draw(t, "shows"),
			Violates: rapid.String().Draw(t, "violates"),
		}
		text := s.file().text()
		read, err := readSaved(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(read, s) {
			t.Errorf("read is\n%#v\nwant\n%#v\n%s", read, s, text)
		}
		if read.identity() != s.identity() || s.identity() != (saved{History: s.History}).identity() {
			t.Error("its identity is another one")
		}
	})
}

// TestSpellings: each op has one spelling, and each that moves draw has one.
func TestSpellings(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, s := range spellings() {
		if names[s.name] {
			t.Errorf("two ops are spelled %s", s.name)
		}
		names[s.name] = true
	}
	for n := 1; n <= 1000; n++ {
		for _, op := range everything().history(5, n).Ops {
			delete(names, spellingOf(op).name)
		}
	}
	if len(names) > 0 {
		t.Errorf("no history has %v", names)
	}
}

// TestUnreadable: what this version cannot read is not guessed, and it is told what it is.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: simcloud.dev/v1alpha1\nkind: History\nnodes: 1\nops:\n"
	for says, text := range map[string]string{
		`line 5: this version of simcloud has no op "stale"`:              head + "- stale\n",
		`line 5: op addVM: name: must be a name`:                          head + "- addVM: {name: \"x}\\nsteps: {\"}\n",
		`line 5: op addVM: this version of simcloud has no field "zone"`:  head + "- addVM: {name: node-2, zone: b}\n",
		`line 5: op arm: effects: "{panic: {}}" is not one`:               head + "- arm: {operation: \"*\", effects: [\"{panic: {}}\"]}\n",
		`line 5: op changePorts: port: is 0: must be between 1 and 32767`: head + "- changePorts: {name: web-1}\n",
		`line 5 is not an op`:                                             head + "- [a]\n",
		`line 5: op ccm: line 5 is not a mapping of fields`:               head + "- ccm: stop\n",
		`apiVersion is "simcloud.dev/v9": this version of simcloud reads`: strings.Replace(head, "v1alpha1", "v9", 1),
		`kind is "Scenario": must be History`:                             strings.Replace(head, "History", "Scenario", 1),
		`nodes is 99: must be between 0 and 10`:                           strings.Replace(head, "nodes: 1", "nodes: 99", 1),
	} {
		if _, err := readSaved([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v\nwant %s", err, says)
		}
	}
}

// FuzzReadSaved: whatever a file has, it is refused, or is a history that is a scenario.
func FuzzReadSaved(f *testing.F) {
	for n := 1; n <= 20; n++ {
		f.Add(saved{History: everything().history(3, 20*n)}.file().text())
	}
	f.Add([]byte("kind: History"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := readSaved(raw)
		if err != nil {
			return
		}
		h := everything().finished(s.body())
		if _, err := h.scenario(); err != nil {
			t.Errorf("%v\n%s", err, raw)
		}
	})
}

// TestCorpusSkips: a corpus is read without the files that cannot be, which are told by their names.
func TestCorpusSkips(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := everything().history(1, 50)
	if _, err := (saved{History: good, Shows: []feature{"a"}}).save(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"history-x.yaml": "kind: [", "README.md": "mine"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	c, _, err := openCorpus(dir, everything(), func(format string, args ...any) { told = append(told, format) })
	if err != nil || len(c.entries) != 1 || len(told) != 1 {
		t.Fatalf("%v, %d entries, told %q", err, len(c.entries), told)
	}
	if !reflect.DeepEqual(c.entries[0].history, good) {
		t.Errorf("it has\n%#v\nwant\n%#v", c.entries[0].history, good)
	}
}
