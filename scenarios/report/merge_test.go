package report

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// shardReport is the report of a part of a run, with scenarios of these names that passed.
func shardReport(shard string, names ...string) scenarios.Report {
	r := scenarios.Report{
		Started: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), Seconds: 60, Seed: 7, Subject: "my-ccm", Version: "v1.0.0", Shard: shard,
		Parallel: 2, Factor: 1.5, Phases: map[scenarios.Phase]float64{scenarios.PhaseSteps: 50}, Flags: []string{"--ccm", "./my-ccm"},
	}
	for i, name := range names {
		r.Scenarios = append(r.Scenarios, scenarios.Result{Name: name, File: "mine.yaml", Status: scenarios.Passed, Seconds: 1, Slot: i % 2, CallValues: []any{name}})
	}
	return r
}

// written is a report as Load reads it from the folder that Write has written, to which files of logs are added.
func written(t *testing.T, r scenarios.Report, logs ...string) Folder {
	t.Helper()
	dir := t.TempDir()
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	for _, name := range logs {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("log of "+r.Shard), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// filesBelow are the names and contents of all files of a folder.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir+"/")] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestMergeShards: the parts of a run become the report of the whole run, with the logs of all parts.
func TestMergeShards(t *testing.T) {
	t.Parallel()
	one := shardReport("1/3", "lb-b", "lb-d")
	two := shardReport("2/3", "lb-a", "lb-c")
	two.Started, two.Factor = two.Started.Add(30*time.Second), 1
	two.Scenarios[0].Slot = 1
	first := written(t, one, "logs/cluster-1-1/etcd.log", "logs/cluster-retry-1/etcd.log", "reproduce/lb-b.yaml")
	second := written(t, two, "logs/cluster-1-1/etcd.log", "logs/cluster-2-77-not-started/etcd.log", "logs/cluster-retry-1/etcd.log")
	if err := os.Symlink("/etc/passwd", filepath.Join(second.Path, "logs/lb-a/passwd")); err != nil {
		t.Fatal(err)
	}
	merged, err := Merge([]Folder{first, second}, false)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := errors.Join(merged.CheckFolder(out), merged.Write(out)); err != nil {
		t.Fatal(err)
	}
	r := must(t, out)
	if r.Seconds != 90 || r.Parallel != 4 || r.Factor != 1.5 || r.Phases[scenarios.PhaseSteps] != 100 || !r.Started.Equal(one.Started) || r.Version != "v1.0.0" {
		t.Errorf("the report is %+v", r)
	}
	if diff := cmp.Diff([]string{"3/3"}, r.Missing); diff != "" || isGood(r) {
		t.Errorf("missing parts (-want +got):\n%s\nit is good: %v", diff, isGood(r))
	}
	var names []string
	slots := map[string]int{}
	for _, s := range r.Scenarios {
		names, slots[s.Name] = append(names, s.Name), s.Slot
		if s.Seed != 7 {
			t.Errorf("%s has the seed %d", s.Name, s.Seed)
		}
	}
	if diff := cmp.Diff([]string{"lb-a", "lb-b", "lb-c", "lb-d"}, names); diff != "" || slots["lb-b"] != 0 || slots["lb-a"] != 3 {
		t.Errorf("-want +got:\n%s\nslots: %v", diff, slots)
	}
	files := filesBelow(t, out)
	for name, says := range map[string]string{
		"logs/cluster-1-1/etcd.log": "log of 1/3", "logs/cluster-3-1/etcd.log": "log of 2/3", "logs/cluster-4-77-not-started/etcd.log": "log of 2/3",
		"logs/cluster-retry-1-1/etcd.log": "log of 1/3", "logs/cluster-retry-2-1/etcd.log": "log of 2/3",
		"logs/lb-a/calls.jsonl": `"lb-a"`, "logs/lb-d/calls.jsonl": `"lb-d"`, "reproduce/lb-b.yaml": "log of 1/3",
		"junit.xml": `tests="4"`, "report.md": "missing parts: 3/3", "report.html": "missing parts",
	} {
		if !strings.Contains(files[name], says) {
			t.Errorf("%s lacks %q: %.100q", name, says, files[name])
		}
	}
	if _, copied := files["logs/lb-a/passwd"]; copied {
		t.Error("a link of an artifact was followed")
	}
}

func must(t *testing.T, dir string) scenarios.Report {
	t.Helper()
	f, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f.Report
}

// TestMergeRepeats: results of one scenario are its repetitions, those of a run with --repeat too, and keep their seeds.
func TestMergeRepeats(t *testing.T) {
	t.Parallel()
	one, two := shardReport("", "lb#1", "lb#2", "once"), shardReport("", "lb")
	two.Seed, two.Started = 9, two.Started.Add(24*time.Hour)
	merged, err := Merge([]Folder{written(t, one), written(t, two)}, true)
	if err != nil {
		t.Fatal(err)
	}
	seeds := map[string]uint64{}
	for _, s := range merged.Report.Scenarios {
		seeds[s.Name] = s.Seed
	}
	if diff := cmp.Diff(map[string]uint64{"lb#1": 7, "lb#2": 7, "lb#3": 9, "once": 7}, seeds); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if merged.Report.Seconds != 120 {
		t.Errorf("it took %.0f s", merged.Report.Seconds)
	}
	out := t.TempDir()
	if err := merged.Write(out); err != nil {
		t.Fatal(err)
	}
	if files := filesBelow(t, out); files["logs/lb#3/calls.jsonl"] != "\"lb\"\n" || files["logs/lb#2/calls.jsonl"] != "\"lb#2\"\n" {
		t.Errorf("the logs are %v", slices.Sorted(maps.Keys(files)))
	}
}

// TestMergeRefuses what one report cannot say, and names the folders and what differs.
func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change  func(r *scenarios.Report)
		repeats bool
		says    string
	}{
		"CCM":      {func(r *scenarios.Report) { r.Subject = "other" }, true, `cannot merge one with two: the CCM is "my-ccm" in the first and "other" in the second`},
		"version":  {func(r *scenarios.Report) { r.Version = "v2" }, true, `the version of simcloud is "v1.0.0" in the first and "v2"`},
		"seed":     {func(r *scenarios.Report) { r.Seed = 8 }, false, `the seed is "7" in the first and "8"`},
		"flags":    {func(r *scenarios.Report) { r.Flags = []string{"--ccm", "a b"} }, true, `the set of flags is "--ccm ./my-ccm" in the first and "--ccm 'a b'"`},
		"scenario": {func(r *scenarios.Report) { r.Scenarios = shardReport("", "a", "c", "b").Scenarios }, false, "a is in both one and two (and 1 scenario more): the shards of one run have each scenario once; to merge runs of the same scenarios, use --repeats"},
	} {
		two := shardReport("2/2", "other")
		test.change(&two)
		_, err := Merge([]Folder{{Path: "one", Report: shardReport("1/2", "a", "b")}, {Path: "two", Report: two}}, test.repeats)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
	}
	folder := written(t, shardReport("", "a"))
	merged, err := Merge([]Folder{folder}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := merged.CheckFolder(folder.Path); err == nil || !strings.Contains(err.Error(), "is one of the folders to merge") {
		t.Errorf("into itself: %v", err)
	}
}

// TestLoadRefuses what is no report, or not a whole one, and names the file.
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"":        "not a report of simcloud, or not a whole one: unexpected end",
		`{"a":1}`: `is not a report of simcloud: it has no "started"`,
		`[]`:      "cannot unmarshal array",
		`{"started":"2026-11-21T10:00:00Z","seed":1,"phases":{},"scenarios":[{}]}`:                        "scenarios[0] has no name",
		`{"started":"2026-11-21T10:00:00Z","seed":1,"phases":{},"scenarios":[{"name":"a","status":"x"}]}`: `scenarios[0] (a) has the unknown status "x"`,
	} {
		file := filepath.Join(t.TempDir(), "report.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{file, filepath.Dir(file)} {
			if _, err := Load(path); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), file) {
				t.Errorf("%s: %v, want %q", text, err, says)
			}
		}
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not a report folder: it has no report.json; give the folder of --report") {
		t.Errorf("an empty folder: %v", err)
	}
}
