package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
)

// tree is a module whose tests pass, fail, and fail only once.
var tree = map[string]string{
	"go.mod":             "module example.com/tree\n\ngo 1.26\n",
	"e2e/kube/go.mod":    "module example.com/tree/e2e/kube\n\ngo 1.26\n",
	"e2e/kube/k.go":      "package kube\n",
	"e2e/kube/k_test.go": "package kube\n\nimport \"testing\"\n\nfunc TestKube(t *testing.T) {}\n",
	"e2e/planetest/p.go": "package planetest\n\nimport \"testing\"\n\nfunc Cluster(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip(\"" + planetest.NeedsCluster + "\")\n\t}\n}\n",
	"ccm/ccm_test.go":    "package ccm\n\nimport \"testing\"\n\nfunc TestCallsMayFail(t *testing.T) {}\n",
	"plain/plain_test.go": `package plain

import "testing"

func TestPlain(t *testing.T) {}
`,
	"clusters/clusters_test.go": `package clusters

import (
	"os"
	"testing"

	"example.com/tree/e2e/planetest"
)

func TestShort(t *testing.T) {}

func TestPart(t *testing.T) {
	t.Run("Needs", func(t *testing.T) { planetest.Cluster(t) })
}

func TestFlaky(t *testing.T) {
	planetest.Cluster(t)
	t.Run("Always", func(t *testing.T) {})
	t.Run("Once[a=1]", func(t *testing.T) {
		if _, err := os.Stat("../seen"); err != nil {
			_ = os.WriteFile("../seen", nil, 0o600)
			t.Error("not this time")
		}
	})
}

func TestNever(t *testing.T) {
	planetest.Cluster(t)
	if os.Getenv("TREE_FAILS") != "" {
		t.Error("never")
	}
}
`,
}

// runGate runs the gate on the tree, and returns its exit code and what it printed.
func runGate(t *testing.T, dir string, args ...string) (code int, out string) {
	t.Helper()
	return runGateWith(t, dir, "off", args...)
}

// runGateWith does the same with a Go workspace.
func runGateWith(t *testing.T, dir, workspace string, args ...string) (code int, out string) {
	t.Helper()
	for name, text := range tree {
		write1(t, filepath.Join(dir, name), text)
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", workspace)
	t.Setenv("GOFLAGS", "")
	for _, name := range []string{planetest.EnvNightly, planetest.EnvSample, "SIMCLOUD_TOUCHED"} {
		t.Setenv(name, "") // which the gate sets
	}
	var b bytes.Buffer
	code = run(t.Context(), append([]string{"--ledger", filepath.Join(dir, "ledger")}, args...), &b, &b)
	return code, b.String()
}

func contains(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%s has no %q:\n%s", what, word, text)
		}
	}
}

// write1 writes a file and makes its folder.
func write1(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read1(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestFlakyPasses: a test on clusters that fails once is run once more, which the end, junit.xml and the
// ledger report. A test of which only a part needs a cluster is run as a whole.
func TestFlakyPasses(t *testing.T) {
	dir := t.TempDir()
	code, out := runGate(t, dir)
	if code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	const name = "example.com/tree/clusters TestFlaky/Once[a=1]"
	contains(t, "the output", out, "flaky: "+name+" (1 times in ", "1 flaky, 1 run once more")
	if !strings.HasSuffix(out, "\ntests: 10 passed, 0 failed, 0 skipped\n") {
		t.Errorf("the last line does not count 10 tests:\n%s", out)
	}
	contains(t, "the ledger", read1(t, filepath.Join(dir, "ledger")), `"test":"`+name+`","result":"flaky"`)
	junit := read1(t, filepath.Join(dir, "out", "gate", "junit.xml"))
	contains(t, "junit.xml", junit, "<flakyFailure", "not this time")
	if strings.Contains(junit, "<failure") {
		t.Errorf("junit.xml has a failure:\n%s", junit)
	}
}

// onceTest is a test that needs no cluster and fails once.
const onceTest = `package %s

import (
	"os"
	"testing"
)

func TestOnce(t *testing.T) {
	if _, err := os.Stat("once"); err != nil {
		_ = os.WriteFile("once", nil, 0o600)
		t.Error("the only time")
	}
}
`

// TestFlakyBesideACluster: only a test on clusters may be flaky. One in process that fails in the same run, beside it in its
// package or in another, has failed although it would pass the next time.
func TestFlakyBesideACluster(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"plain", "clusters"} {
		write1(t, filepath.Join(dir, folder, "once_test.go"), fmt.Sprintf(onceTest, folder))
	}
	code, out := runGate(t, dir)
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	const flaky = "example.com/tree/clusters TestFlaky/Once[a=1]"
	contains(t, "the summary", read1(t, filepath.Join(dir, "out", "gate", "summary.txt")), "flaky: "+flaky, "1 flaky, 1 run once more",
		"failed: example.com/tree/plain TestOnce\n", "failed: example.com/tree/clusters TestOnce\n", "tests: 10 passed, 2 failed, 0 skipped\n")
	ledger := read1(t, filepath.Join(dir, "ledger"))
	if contains(t, "the ledger", ledger, `"test":"`+flaky+`","result":"flaky"`); strings.Contains(ledger, "TestOnce") {
		t.Errorf("the ledger has a test that needs no cluster:\n%s", ledger)
	}
	junit := read1(t, filepath.Join(dir, "out", "gate", "junit.xml"))
	if strings.Count(junit, "<flakyFailure") != 1 || strings.Count(junit, "<failure") != 2 {
		t.Errorf("junit.xml has not one flaky failure and two failures:\n%s", junit)
	}
	if n := strings.Count(out, "the only time"); n != 2 {
		t.Errorf("the tests in process ran %d times, want 2:\n%s", n, out)
	}
}

// TestTwiceIsAFailure: a test that fails when it is run once more has failed.
func TestTwiceIsAFailure(t *testing.T) {
	t.Setenv("TREE_FAILS", "1")
	dir := t.TempDir()
	write1(t, filepath.Join(dir, "seen"), "")
	code, out := runGate(t, dir)
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	contains(t, "the output", out, "failed: example.com/tree/clusters TestNever", "0 flaky, 1 run once more", "tests: 9 passed, 1 failed, 0 skipped\n")
}

// defectTest is a test on clusters that passes when it is run once more. %s is how it fails the first time.
const defectTest = `package clusters

import (
	"os"
	"testing"

	"example.com/tree/e2e/planetest"
)

func TestDefect(t *testing.T) {
	planetest.Cluster(t)
	if _, err := os.Stat("../defect"); err == nil {
		return
	}
	_ = os.WriteFile("../defect", nil, 0o600)
	t.Run("Part", func(t *testing.T) { %s })
}
`

// TestNotRetried: a data race and the end of the test binary are defects, even when the test would pass the next time. No
// other test of the package is run once more, since its success would hide them.
func TestNotRetried(t *testing.T) {
	for name, c := range map[string]struct{ code, why string }{
		"race":  {"n, done := 0, make(chan int); go func() { n++; close(done) }(); n++; <-done", "its output shows a data race"},
		"panic": {`panic("boom")`, "its test binary panicked"},
		"fatal": {"var m map[int]int; go func() { m[1] = 1 }(); select {}", "its test binary panicked"},
		"exit":  {"os.Exit(3)", "its test binary panicked, timed out or exited in a test"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "race" && raceFlags() == nil {
				t.Skip("needs a C compiler for the race detector")
			}
			dir := t.TempDir()
			write1(t, filepath.Join(dir, "clusters", "defect_test.go"), fmt.Sprintf(defectTest, c.code))
			code, out := runGate(t, dir)
			if code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			contains(t, "the output", out, "no test of example.com/tree/clusters is run once more: "+c.why,
				"0 flaky, 0 run once more", "failed: example.com/tree/clusters TestDefect/Part\n", "failed: example.com/tree/clusters TestFlaky")
		})
	}
}

// TestNightlyNeverRetries: at night what fails once has failed, and is in the ledger.
func TestNightlyNeverRetries(t *testing.T) {
	dir := t.TempDir()
	code, out := runGate(t, dir, "--nightly")
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	contains(t, "the output", out, "0 flaky, 0 run once more", "failed: example.com/tree/clusters TestFlaky/Once[a=1]")
	contains(t, "the ledger", read1(t, filepath.Join(dir, "ledger")), `TestFlaky/Once[a=1]","result":"failed"`)
}

// TestCommitIsKnown: the samples and the ledger have the hash of the commit, by day, at night and with --run.
func TestCommitIsKnown(t *testing.T) {
	for name, args := range map[string][]string{"by day": nil, "at night": {"--nightly"}, "with --run": {"--run", "^TestFlaky$", "./clusters"}} {
		t.Run(name, func(t *testing.T) {
			repository(t, tree, "2026-01-02T00:00:00Z")
			hash, dir := gitOf(t, "rev-parse", "HEAD"), gitOf(t, "rev-parse", "--show-toplevel")
			_, out := runGate(t, dir, args...)
			contains(t, "the output", out, " of "+hash)
			contains(t, "the ledger", read1(t, "ledger"), `"commit":"`+hash+`"`)
			if sample := os.Getenv(planetest.EnvSample); sample != hash {
				t.Errorf("%s is %q, want %s", planetest.EnvSample, sample, hash)
			}
		})
	}
}

// TestInProcessIsNeverRetried: nor is a package that does not build.
func TestInProcessIsNeverRetried(t *testing.T) {
	dir := t.TempDir()
	write1(t, filepath.Join(dir, "plain", "broken_test.go"), "package plain\n\nfunc broken() int { return \"\" }\n")
	write1(t, filepath.Join(dir, "seen"), "")
	code, out := runGate(t, dir)
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	contains(t, "the output", out, "FAIL  example.com/tree/plain", "cannot use", "0 run once more", "1 failed")
}

// wholes are files of packages that fail while no test of them does. %s is the name of the package.
var wholes = map[string]struct{ file, text, prints string }{
	"build": {"a_test.go", "package %s\n\nvar n int = false\n", "cannot use false"},
	"parse": {"a_test.go", "package %s\n\nimport (\n", "a_test.go:3:10: expected"},
	"early": {"a_test.go", "package %s\n\nfunc init() { panic(\"at init\") }\n", "panic: at init"},
	"ends": {"a_test.go", `package %s

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { println("odd"); os.Exit(m.Run() + 7) }

func TestA(t *testing.T) {}
`, "odd"},
	"needed":       {"a.go", "package %s\n\nvar n int = false\n", "cannot use false"},
	"needs":        {"a_test.go", "package %s\n\nimport _ \"example.com/tree/needed\"\n", "build failed"},
	"clusterbuild": {"a_test.go", onCluster + "var n int = false\n", "cannot use false"},
	"clusterearly": {"a_test.go", onCluster + "func init() { panic(\"at init\") }\n", "panic: at init"},
	"clusterlate":  {"a_test.go", onCluster + "func init() { if !slices.Contains(os.Args, \"-test.short\") { panic(\"late\") } }\n", "panic: late"},
}

// onCluster begins a package with a test on clusters.
const onCluster = `package %s

import (
	"os"
	"slices"
	"testing"

	"example.com/tree/e2e/planetest"
)

func TestA(t *testing.T) { planetest.Cluster(t) }

var _ = slices.Contains(os.Args, "")

`

// TestWholePackage: a package that fails while no test of it does is named, in the end and in junit.xml, with what it printed;
// all others run.
func TestWholePackage(t *testing.T) {
	dir := t.TempDir()
	for folder, whole := range wholes {
		write1(t, filepath.Join(dir, folder, whole.file), fmt.Sprintf(whole.text, folder))
	}
	code, out := runGate(t, dir)
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	contains(t, "the output", out, "ok    example.com/tree/plain  ", "ok    example.com/tree/clusters  ", "pass  TestFlaky  ",
		fmt.Sprintf("tests: 11 passed, %d failed, 0 skipped\n", len(wholes)))
	summary := read1(t, filepath.Join(dir, "out", "gate", "summary.txt"))
	junit := read1(t, filepath.Join(dir, "out", "gate", "junit.xml"))
	for folder, whole := range wholes {
		pkg := "example.com/tree/" + folder
		contains(t, "the output", out, "FAIL  "+pkg+"  ", whole.prints)
		contains(t, "the summary", summary, "failed: "+pkg+": "+wholeFailure+"\n")
		contains(t, "junit.xml", suiteOf(t, junit, pkg),
			`<testcase name="package" classname="`+pkg+`"`, `<failure message="`+wholeFailure+`">`, whole.prints)
	}
}

// suiteOf are the suites of a package in junit.xml.
func suiteOf(t *testing.T, junit, pkg string) (text string) {
	t.Helper()
	for _, suite := range strings.Split(junit, "<testsuite ")[1:] {
		if strings.HasPrefix(suite, `name="`+pkg+`"`) {
			text += suite
		}
	}
	return text
}

// TestCannotRun: an error of the gate itself is in the summary, and no summary of an earlier run stays.
func TestCannotRun(t *testing.T) {
	dir := t.TempDir()
	write1(t, filepath.Join(dir, "out", "gate", "summary.txt"), "tests: 10 passed, 0 failed, 0 skipped\n")
	write1(t, filepath.Join(dir, "go.work"), "nonsense")
	code, _ := runGateWith(t, dir, filepath.Join(dir, "go.work"))
	if code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	summary := read1(t, filepath.Join(dir, "out", "gate", "summary.txt"))
	contains(t, "the summary", summary, "the tests could not be run: list the packages: ", "go.work")
	if strings.Contains(summary, "10 passed") {
		t.Errorf("the summary is of another run:\n%s", summary)
	}
}

// TestOnly: --run takes tests that need no cluster, too, and runs once more what fails.
func TestOnly(t *testing.T) {
	code, out := runGate(t, t.TempDir(), "--run", "^TestFlaky$", "./clusters")
	if code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	contains(t, "the output", out, "flaky: example.com/tree/clusters TestFlaky/Once[a=1]", "tests: 3 passed, 0 failed, 0 skipped\n")
	if code, out := runGate(t, t.TempDir(), "./clusters"); code != 2 || !strings.Contains(out, "packages need --run") {
		t.Errorf("packages without --run: exit code %d, %s", code, out)
	}
}

func TestLabelsOf(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"scenarios/library/conformance/s15-answer-lost.yaml": "metadata:\n  name: s15-answer-lost\n  labels: {tier: conformance, area: service, clause: S15}\n",
		"scenarios/library/core/lb.yaml":                     "metadata:\n  name: lb-provisioning\n",
	}
	read := func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}
	for file, want := range map[string][]string{
		"scenarios/library/conformance/s15-answer-lost.yaml": {"clause=S15"},
		"scenarios/library/core/lb.yaml":                     {"name=lb-provisioning"},
		"scenarios/library/core/deleted.yaml":                nil,
		"scenarios/run/runner.go":                            nil,
		"ccm/route/routes.go":                                {"area=route"},
		"ccm/route/routes_test.go":                           nil,
		"ccm/cloud.go":                                       {"area=node", "area=lifecycle", "area=service", "area=route", "area=process", "area=volume"},
		"ccm/internal/call/turns.go":                         {"area=node", "area=lifecycle", "area=service", "area=route", "area=process", "area=volume"},
		"ccm/internal/call/metrics.go":                       {"area=process"},
		"ccm/internal/ccmtest/services.go":                   nil,
		"ccm/health.go":                                      {"area=process"},
		"ccm/node/instances.go":                              {"area=node", "area=lifecycle"},
		"ccm/node/zones.go":                                  {"area=node"},
		"ccm/lb/family.go":                                   {"area=service"},
		"ccm/annotation/settings.go":                         {"area=service"},
		"ccm/volume/pvlabel.go":                              {"area=volume"},
		"ccm/deploy/deploy.go":                               nil,
		"cmd/simcloud-ccm/lease.go":                          {"area=process", "area=volume"},
		"ccm/deploy/role.yaml":                               nil,
	} {
		if got := labelsOf(file, read); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}

// repository makes a git repository of files and enters it. Its only commit was made at a time such as 2026-01-02T00:00:00Z.
func repository(t *testing.T, files map[string]string, at string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": os.TempDir(),
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(name, value)
	}
	gitOf(t, "init", "--quiet")
	commit(t, files, at)
}

// commit writes files and commits all that differs.
func commit(t *testing.T, files map[string]string, at string) {
	t.Helper()
	for name, text := range files {
		write1(t, name, text)
	}
	t.Setenv("GIT_COMMITTER_DATE", at)
	gitOf(t, "add", "--all")
	gitOf(t, "commit", "--quiet", "--message", "some")
}

func gitOf(t *testing.T, args ...string) string {
	t.Helper()
	out, err := git(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// scenarioOf is a scenario of a clause.
func scenarioOf(clause string) string { return "metadata:\n  labels: {clause: " + clause + "}\n" }

// TestTouched: the change has what was committed in the last four hours and what is not committed, be it modified, staged or new.
func TestTouched(t *testing.T) {
	const folder = "scenarios/library/"
	repository(t, map[string]string{
		".gitignore": "ignored.yaml\n", folder + "old.yaml": scenarioOf("A1"), folder + "modified.yaml": scenarioOf("A2"), "ccm/route/routes.go": "package route\n",
	}, "2026-01-02T00:00:00Z")
	check := func(want ...string) {
		t.Helper()
		hash, labels, err := touched(t.Context())
		if err != nil || hash != gitOf(t, "rev-parse", "HEAD") || !slices.Equal(labels, want) {
			t.Errorf("%s %v %v, want the hash of HEAD and %v", hash, labels, err, want)
		}
	}
	check()
	write1(t, folder+"staged.yaml", scenarioOf("A3"))
	gitOf(t, "add", folder+"staged.yaml")
	check("clause=A3") // though no commit is four hours older
	commit(t, map[string]string{folder + "kept.yaml": scenarioOf("A4")}, "2026-01-02T05:00:00Z")
	commit(t, map[string]string{folder + "later.yaml": scenarioOf("A5")}, "2026-01-02T08:00:00Z")
	check("clause=A3", "clause=A4", "clause=A5")
	write1(t, folder+"modified.yaml", scenarioOf("A2")+"# more\n")
	write1(t, folder+"not known yet \u00fc.yaml", scenarioOf("A6"))
	write1(t, folder+"ignored.yaml", scenarioOf("A7"))
	if err := os.MkdirAll("ccm/node", 0o755); err != nil {
		t.Fatal(err)
	}
	gitOf(t, "mv", "ccm/route/routes.go", "ccm/node/zones.go")
	check("area=node", "area=route", "clause=A2", "clause=A3", "clause=A4", "clause=A5", "clause=A6")
}

// TestPlain: the gate leaves these names out of all packages when it runs with the race detector, so that only the packages
// that it then runs without it may have them, and each pattern must be one of tests that exist.
func TestPlain(t *testing.T) {
	t.Chdir("../..")
	found, err := listPackages(t.Context(), "./...")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{}
	for _, p := range found.all() {
		folder, has := plainFolder(p)
		for _, name := range testsOf(t, p) {
			if regexp.MustCompile(plainNames()).MatchString(name) && (!has || !regexp.MustCompile(plain[folder]).MatchString(name)) {
				t.Errorf("%s.%s has a name that the gate leaves out there", p.ImportPath, name)
			}
			names[folder] = append(names[folder], name)
		}
	}
	for folder, patterns := range plain {
		for pattern := range strings.SplitSeq(patterns, "|") {
			if !slices.ContainsFunc(names[folder], regexp.MustCompile(pattern).MatchString) {
				t.Errorf("%s: no test matches %s", folder, pattern)
			}
		}
	}
}

// testsOf names the tests of a package.
func testsOf(t *testing.T, p goPackage) (names []string) {
	t.Helper()
	for _, file := range append(slices.Clone(p.TestGoFiles), p.XTestGoFiles...) {
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(read1(t, filepath.Join(p.Dir, file)), -1) {
			names = append(names, found[1])
		}
	}
	return names
}

// TestEndIsTold: test2json gives a binary that ends in the middle of a test no end of its own.
func TestEndIsTold(t *testing.T) {
	t.Parallel()
	for events, want := range map[string]int{
		`{"Action":"fail","Package":"p","Test":"TestA"}`:                                               1,
		`{"Action":"build-fail","ImportPath":"p"}`:                                                     1,
		`{"Action":"fail","Package":"p","Test":"TestA"}` + "\n{\"Action\":\"fail\",\"Package\":\"p\"}": 0,
		`{"Action":"pass","Package":"p"}`:                                                              0,
	} {
		results, err := read(strings.NewReader(events), func(*packageResult, event, bool) {})
		if err != nil || len(results) != 1 {
			t.Fatal(results, err)
		}
		told := 0
		results[0].end(func(p *packageResult, _ event, ended bool) {
			if ended && p.Action == "fail" {
				told++
			}
		})
		if told != want {
			t.Errorf("%s: the end is told %d times, want %d", events, told, want)
		}
	}
}

// TestAnEarlyEnd: tests of which nothing was heard have failed.
func TestAnEarlyEnd(t *testing.T) {
	t.Parallel()
	results, err := read(strings.NewReader(`{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: x\n"}
{"Action":"fail","Package":"p"}
`), func(*packageResult, event, bool) {})
	if err != nil || len(results) != 1 {
		t.Fatal(results, err)
	}
	results[0].complete([]string{"TestA", "TestB"})
	if _, failed, _ := results[0].count(); failed != 2 || len(results[0].failures()) != 2 {
		t.Errorf("%d failed, want 2", failed)
	}
}
