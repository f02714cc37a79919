package explore

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// shower is a runner that shows of a history the verbs of its steps, and which came after which. It keeps the histories.
type shower struct {
	ran  []string
	most int
	stop context.CancelFunc
}

func (w *shower) run(_ context.Context, _ int, s *scenarios.Scenario) (scenarios.Result, error) {
	r := scenarios.Result{Name: s.Name, Status: scenarios.Passed}
	text := ""
	for i, step := range s.Steps {
		word, _, _ := strings.Cut(step.Text, " ")
		text += step.Text + "\n"
		if i%3 == 0 {
			r.CallValues = append(r.CallValues, map[string]any{"operation": step.Verb + word, "status": int64(200), "write": true, "resource": "x"})
		}
	}
	if w.ran = append(w.ran, text); len(w.ran) == w.most {
		w.stop()
	}
	return r, nil
}

// showing explores with a corpus until so many histories have run. It returns them, and the report.
func showing(t *testing.T, dir string, seed uint64, most int) ([]string, Report) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	w := &shower{most: most, stop: stop}
	e := Explorer{Runner: RunFunc(w.run), Seed: seed, Time: time.Hour, Corpus: dir}
	report, err := e.Run(ctx)
	if ctx.Err() == nil {
		t.Fatal(err)
	}
	return w.ran, report
}

// filesOf are the files of a folder, with what they have.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(raw)
	}
	return all
}

// TestCorpusSequence: with the same seed and the same corpus the same histories run, and leave the same corpus behind.
func TestCorpusSequence(t *testing.T) {
	t.Parallel()
	first := t.TempDir()
	_, report := showing(t, first, 1, 12)
	if n := len(filesOf(t, first)); n == 0 || report.Kept != n || report.Features == 0 {
		t.Fatalf("%d files, report %+v", n, report)
	}
	one, two := t.TempDir(), t.TempDir()
	for _, dir := range []string{one, two} {
		if err := os.CopyFS(dir, os.DirFS(first)); err != nil {
			t.Fatal(err)
		}
	}
	ran, _ := showing(t, one, 7, 30)
	again, _ := showing(t, two, 7, 30)
	if !slices.Equal(ran, again) {
		t.Error("other histories have run")
	}
	if !maps.Equal(filesOf(t, one), filesOf(t, two)) {
		t.Error("another corpus is left")
	}
	if other, _ := showing(t, t.TempDir(), 7, 30); slices.Equal(ran, other) {
		t.Error("the corpus does not matter")
	}
}

// TestCorpusMerges: two corpora that are copied into one folder are one.
func TestCorpusMerges(t *testing.T) {
	t.Parallel()
	one, two, both := t.TempDir(), t.TempDir(), t.TempDir()
	showing(t, one, 1, 10)
	showing(t, two, 2, 10)
	histories := map[string]bool{}
	for _, dir := range []string{one, two} {
		for name, text := range filesOf(t, dir) {
			histories[name] = true
			if err := os.WriteFile(filepath.Join(both, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	c, _, err := openCorpus(both, everything(), func(format string, args ...any) { t.Errorf(format, args...) })
	if err != nil || len(c.entries) != len(histories) || len(histories) < 3 {
		t.Errorf("%v: %d entries of %d files", err, len(c.entries), len(histories))
	}
}

// TestCorpusReplays: a history of the corpus runs as it is before others are made of it. One that shows nothing of what it was
// kept for is not chosen again.
func TestCorpusReplays(t *testing.T) {
	t.Parallel()
	one, two := everything().history(1, 60), everything().history(1, 61)
	c := &corpus{names: map[string]bool{}, entries: []*entry{{name: "one", history: one, found: []feature{"a"}}, {name: "two", history: two, found: []feature{"b"}}}}
	s := &sights{}
	same := 0
	for number := range 200 {
		next := c.next(everything(), 1, number+1, s)
		if next.replay {
			next.of.ran([]feature{"a"})
		}
		switch as := next.of != nil && reflect.DeepEqual(next.history, next.of.history); {
		case next.replay && !as:
			t.Errorf("history %d of %s is not as it is", number, next.of.name)
		case as && !next.replay:
			same++
		}
	}
	if same > 5 {
		t.Errorf("%d histories that were made of others are as those are", same)
	}
	if c.entries[1].picks != 0 || c.entries[0].picks < 100 || len(c.untried()) != 0 {
		t.Errorf("they were chosen %d and %d times", c.entries[0].picks, c.entries[1].picks)
	}
}

// TestKnownViolation: a violation is reported once. A later exploration with its corpus knows it, and finds another one.
func TestKnownViolation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	explorer := func() Explorer {
		return Explorer{Seed: 1, Reruns: DefaultReruns, Corpus: dir, Time: time.Hour}
	}
	e := explorer()
	e.Runner = brokenBy("RebootInstance")
	v := explored(t, e).Violation
	if v == nil {
		t.Fatal("nothing was found")
	}
	var scenario string
	for name, text := range filesOf(t, dir) {
		if text == string(v.Text) {
			scenario = name
		}
	}
	if !strings.HasPrefix(scenario, "violation-") {
		t.Fatalf("the scenario is not in the corpus: %v", slices.Sorted(maps.Keys(filesOf(t, dir))))
	}
	report := untilSeen(t, explorer(), brokenBy("RebootInstance"), "the violation of "+scenario+" again", 2)
	if report.Violation != nil || report.Known[scenario] != 2 {
		t.Errorf("it was reported again: %+v, %v", report.Violation, report.Known)
	}
	e = explorer()
	e.Runner = RunFunc(func(ctx context.Context, place int, s *scenarios.Scenario) (scenarios.Result, error) {
		if has(s, "RebootInstance") {
			return brokenBy("")(ctx, place, s)
		}
		return brokenBy("ccm kill")(ctx, place, s)
	})
	if other := explored(t, e).Violation; other == nil || strings.Contains(string(other.Text), "RebootInstance") {
		t.Errorf("another violation of the same rule was not found: %+v", other)
	}
}

// TestKnows: a history shows a known violation when it has its moves in their order, whatever is between them.
func TestKnows(t *testing.T) {
	t.Parallel()
	short := History{Nodes: 1, Ops: []Op{check{part: partNodes}, stopVM{named: of("node-1")}, wait{}, ccmDo{verb: "restart"}, check{part: partGone}}}
	k := known{name: "k", rule: "r", words: wordsOf(short)}
	if got, want := fmt.Sprint(k.words), "[stopVM ccm restart]"; got != want {
		t.Errorf("its moves are %s, want %s", got, want)
	}
	long := History{Nodes: 3, Ops: []Op{stopVM{of("node-3"), true}, restartAPI{}, ccmDo{verb: "restart"}, silence{of("node-1")}}}
	other := History{Nodes: 3, Ops: []Op{ccmDo{verb: "restart"}, stopVM{of("node-3"), true}, ccmDo{verb: "kill"}}}
	if !k.knows("r", wordsOf(long)) || k.knows("s", wordsOf(long)) || k.knows("r", wordsOf(other)) {
		t.Error("it knows something else")
	}
	all := []violation{{rule: "r"}, {rule: "s"}, {rule: "t"}}
	if first, name := unknown([]known{k, {name: "j", rule: "s"}}, long, all); first == nil || first.rule != "t" || name != "" {
		t.Errorf("%+v, %q", first, name)
	}
	if first, name := unknown([]known{k, {name: "j", rule: "s"}}, long, all[:2]); first != nil || name != "k" {
		t.Errorf("%+v, %q", first, name)
	}
}

// TestCorpusCannotBe: a corpus that is no folder ends the exploration before anything runs.
func TestCorpusCannotBe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := Explorer{Corpus: file, Time: time.Hour, Runner: RunFunc(func(context.Context, int, *scenarios.Scenario) (scenarios.Result, error) {
		t.Error("a history has run")
		return scenarios.Result{}, nil
	})}
	if _, err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "the corpus: ") {
		t.Errorf("%v", err)
	}
}
