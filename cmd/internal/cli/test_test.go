package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/conformance"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// TestInvalidScenarioDecidesLast: a scenario that is invalid ends the run with exit code 2, unless another failed, or the
// environment did.
func TestInvalidScenarioDecidesLast(t *testing.T) {
	t.Parallel()
	passed, invalid, failed := scenarios.Result{Status: scenarios.Passed}, scenarios.Result{Status: scenarios.Invalid}, scenarios.Result{Status: scenarios.Failed}
	for _, test := range []struct {
		all  []scenarios.Result
		err  error
		code int
		says string
	}{
		{[]scenarios.Result{passed, invalid}, nil, exit.CodeUsage, "1 of 2 scenarios are invalid: correct their files"},
		{[]scenarios.Result{failed, invalid}, nil, exit.CodeFailed, "1 of 2 scenarios failed, and 1 are invalid"},
		{[]scenarios.Result{failed, invalid}, errors.New("no etcd"), exit.CodeEnvironment, "no etcd"},
	} {
		var ended *exit.Error
		err := (testOptions{}).verdict(t.Context(), scenarios.Report{Scenarios: test.all}, test.err)
		if !errors.As(err, &ended) || ended.Code != test.code || ended.Error() != test.says {
			t.Errorf("%v: %v, want %d and %q", test.all, err, test.code, test.says)
		}
	}
}

// TestUndecidedIsNoFailure: a scenario that is undecided ends the run with exit code 1 only where that was asked for, of test and of conformance.
func TestUndecidedIsNoFailure(t *testing.T) {
	t.Parallel()
	report := scenarios.Report{Scenarios: []scenarios.Result{{Status: scenarios.Undecided}}}
	found := conformance.Verdict{Score: conformance.Score{Undecided: 1}}
	for strict, want := range map[bool]string{false: "", true: "--strict counts as failures"} {
		o := testOptions{strict: strict}
		for name, err := range map[string]error{
			"test": o.verdict(t.Context(), report, nil), "conformance": conformanceOptions{testOptions: o}.verdict(t.Context(), found, report, nil),
		} {
			var ended *exit.Error
			if failed := errors.As(err, &ended) && ended.Code == exit.CodeFailed && strings.Contains(ended.Error(), want); failed != strict || (err != nil) != strict {
				t.Errorf("%s, strict %t: %v", name, strict, err)
			}
		}
	}
}

// TestUnusableScenarios: what cannot be run is told before anything starts, with exit code 2.
func TestUnusableScenarios(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.yaml")
	text := "apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: bad}\nspec:\n  description: d\n  steps:\n  - expect: nodez.size() == 1\n    wihtin: 3s\n"
	if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	library, err := scenariorun.Library()
	if err != nil {
		t.Fatal(err)
	}
	matrix := matrixFile(t)
	known := filepath.Join(dir, "known")
	if err := os.WriteFile(known, []byte(knownHead+"- {scenario: n03-late-wm, issue: 'a/b#1', why: x}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	knowing := profileFile(t, "{binary: mine, known: [{scenario: n03-late-wm, issue: 'a/b#1', why: x}]}")
	asking := profileFile(t, `{binary: mine, args: [--y, "--x={endpoint:moon}"], env: ["KEY={credential:hcloud.key}"]}`)
	configured := profileFile(t, `{binary: mine, args: ["--x={config:b.conf}"], config: {a.conf: "one\ntwo {endpont}", b/c: ""}}`)
	t.Setenv("SIMCLOUD_CCM", "/no/such/binary")
	tests := []struct {
		args []string
		says string
	}{
		{[]string{"lint", bad}, bad + `:7:13: there is no variable or function "nodez" ("nodes"?)`},
		{[]string{"lint", dir}, bad + `:8:5: the step expect has no key "wihtin" ("within"?)`},
		{[]string{"lint"}, "lint needs a file"},
		{[]string{"lint", filepath.Join(dir, "none")}, "no such file"},
		{[]string{"test", bad}, bad + ":7:13"},
		{[]string{"test", "-l", "tier=none"}, fmt.Sprintf(`--selector "tier=none" matches none of %d scenarios`, len(library))},
		{[]string{"test", "-l", "name in (lb-udp,lb-upd)"}, fmt.Sprintf(`none of %d scenarios has name=lb-upd ("lb-udp"?)`, len(library))},
		{[]string{"test", "-l", "clause=L99"}, fmt.Sprintf(`none of %d scenarios has clause=L99`, len(library))},
		{[]string{"test", "-l", "("}, "--selector"},
		{[]string{"test", "../../../scenarios/library/steps"}, "there is no scenario, only steps that scenarios can use"},
		{[]string{"test", "--parallel", "0"}, "invalid --parallel 0: must be between 1 and"},
		{[]string{"test", "--retries", "9"}, "invalid --retries 9: must be between 0 and 5"},
		{[]string{"test", "--seed", "x"}, "--seed"},
		{[]string{"test", "--format", "gitlab"}, `invalid --format "gitlab": must be text or github`},
		{[]string{"conformance", "-o", "yaml"}, `invalid --output "yaml": must be text or json`},
		{[]string{"test", "--repeat", "0"}, "invalid --repeat 0: must be between 1 and"},
		{[]string{"test", "--shard", "4/3"}, `invalid --shard "4/3": must be i/n, from 1/n to n/n`},
		{[]string{"test", "--shard", "1"}, `invalid --shard "1"`},
		{[]string{"test", "--set", "count"}, `--set "count": want name=value`},
		{[]string{"test", matrix, "--set", "hwo=kill"}, `none of the scenarios has the parameter "hwo": they have how`},
		{[]string{"test", "--pause-on-failure", "--parallel", "2"}, "--pause-on-failure goes with --parallel 1"},
		{[]string{"test", "--timeout", "soon"}, "--timeout"},
		{[]string{"test", "--known-failures", filepath.Join(dir, "none")}, "--known-failures: open " + filepath.Join(dir, "none")},
		{[]string{"test", matrix, "--known-failures", known}, "--known-failures: " + known + `:4:3: there is no scenario "n03-late-wm" ("n03-late-vm"?)`},
		{[]string{"conformance", "--known-failures", known}, "--known-failures: " + known + `:4:3: there is no scenario "n03-late-wm" ("n03-late-vm"?)`},
		{[]string{"test", "--profile", asking}, "--profile " + asking + `: spec.args[1]: unknown placeholder {endpoint:moon} in "--x={endpoint:moon}": the cloud has no dialect "moon"`},
		{[]string{"test", "--profile", asking}, `spec.env[0]: unknown placeholder {credential:hcloud.key} in "KEY={credential:hcloud.key}": the credential of hcloud has no such field`},
		{[]string{"test", "--profile", configured}, `spec.args[0]: unknown placeholder {config:b.conf} in "--x={config:b.conf}": there is no config file "b.conf": must be one of a.conf`},
		{[]string{"test", "--profile", configured}, "spec.config: the file a.conf is not used: name it by {config:a.conf} in spec.args, in spec.env or in another file that is used"},
		{[]string{"test", "--profile", configured}, `spec.config[a.conf], line 2: unknown placeholder {endpont} in "two {endpont}"`},
		{[]string{"test", "--profile", configured}, `spec.config: "b/c" cannot be the name of a config file`},
		{[]string{"conformance", "--profile", knowing}, "--profile: " + knowing + `: spec.known[0]: there is no scenario "n03-late-wm"`},
		{[]string{"test", "--ccm", "/no/such/ccm"}, "--ccm"},
		{[]string{"test"}, "SIMCLOUD_CCM"},
		{[]string{"test", "--ccm", "none", "--kube", "/no/such/kube"}, "--kube"},
		{[]string{"test", "--ccm", "none", "--report", filepath.Join(bad, "x")}, `--report "` + filepath.Join(bad, "x") + `" is not a folder`},
	}
	for _, test := range tests {
		code, out, errs := simcloudMain(test.args...)
		if code != exit.CodeUsage || !strings.Contains(errs, test.says) || out != "" {
			t.Errorf("%v: code %d, %q, %q; want 2 and %q", test.args, code, out, errs, test.says)
		}
	}
}

// TestRunFolder: what a killed run has left goes with the next one; what a living one needs stays.
func TestRunFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dead, err := openRunFolder()
	if err != nil {
		t.Fatal(err)
	}
	if err := dead.lock.Close(); err != nil { // as the kernel does for a process that is killed
		t.Fatal(err)
	}
	living, err := openRunFolder()
	if err != nil {
		t.Fatal(err)
	}
	next, err := openRunFolder()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		runFolder
		want bool
	}{{dead, false}, {living, true}, {next, true}} {
		if _, err := os.Stat(f.path); (err == nil) != f.want {
			t.Errorf("%s: %v, want it there: %v", f.path, err, f.want)
		}
	}
	for _, f := range []runFolder{living, next} {
		if err := f.remove(); err != nil {
			t.Error(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestLintOfTheLibrary(t *testing.T) {
	library, err := scenariorun.Library()
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := simcloudMain("lint", "../../../scenarios/library")
	if code != exit.CodeOK || strings.Count(out, ": ok (") != len(library) {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	if code, out, _ = simcloudMain("lint", "--schema"); code != exit.CodeOK || !strings.HasPrefix(out, "{") {
		t.Errorf("the schema: code %d, %q", code, out)
	}
}

// TestSelectByName: a scenario has its name as a label.
func TestSelectByName(t *testing.T) {
	found, err := selectScenarios(t.Context(), testOptions{parallel: 1, repeat: 1, selector: "name=lb-provisioning,tier=core"}, nil)
	if err != nil || len(found) != 1 || found[0].Name != "lb-provisioning" {
		t.Errorf("found %v, %v", found, err)
	}
}

// TestSelectFromAMatrix: the name is that of the file, the values are labels, and a set value is the only one.
func TestSelectFromAMatrix(t *testing.T) {
	file := matrixFile(t)
	for _, test := range []struct {
		selector string
		set      []string
		want     string
	}{
		{"name=lb", nil, "lb[how=kill] lb[how=pause]"},
		{"name=lb,how=pause", nil, "lb[how=pause]"},
		{"name=lb", []string{"how=stop"}, "lb[how=stop]"},
	} {
		found, err := selectScenarios(t.Context(), testOptions{parallel: 1, repeat: 1, selector: test.selector, set: test.set}, []string{file})
		if got := strings.Join(scenarioNames(found), " "); err != nil || got != test.want {
			t.Errorf("%s %v: %s, %v", test.selector, test.set, got, err)
		}
	}
}

// matrixFile is a file with a scenario that has a matrix.
func matrixFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "lb.yaml")
	text := "apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: lb}\nspec:\n  description: d\n  matrix: {how: [kill, pause]}\n  steps:\n  - ccm: ${how}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func scenarioNames(all []*scenarios.Scenario) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

// TestShards: all parts together are all scenarios, each is in one part, and no part is much larger than another.
func TestShards(t *testing.T) {
	all, err := scenariorun.Library()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 7, len(all) + 3} {
		var together []string
		for i := range n {
			part, err := parseShard(fmt.Sprintf("%d/%d", i+1, n))
			if err != nil {
				t.Fatal(err)
			}
			names := scenarioNames(part.of(all))
			if len(names) < len(all)/n || len(names) > len(all)/n+1 {
				t.Errorf("part %d of %d has %d of %d scenarios", i+1, n, len(names), len(all))
			}
			together = append(together, names...)
		}
		want := scenarioNames(all)
		slices.Sort(want)
		slices.Sort(together)
		if !slices.Equal(want, together) {
			t.Errorf("%d parts together are not all scenarios", n)
		}
	}
}

// notes are what a reporter was told.
type notes struct {
	report.Lines
	said []string
}

func (n *notes) Note(_ int, text string) { n.said = append(n.said, text) }

// TestPause: it says how to look, and goes on with Enter, when no one can press it, and when the run is ended.
func TestPause(t *testing.T) {
	said := &notes{}
	pause := testOptions{pause: true}.pauser(output.Streams{In: strings.NewReader("\n")}, said)
	at := scenariorun.Pause{
		Scenario: &scenarios.Scenario{Name: "lb"}, Namespace: "test-lb", Failure: scenarios.Failure{Headline: "the expectation is false"},
		Access: step.Access{Kubeconfig: "/k", CloudURL: "http://c", TokenFile: "/t", CCMLog: "/ccm.log"},
	}
	pause(t.Context(), at) // Enter
	pause(t.Context(), at) // the end of the input
	for _, want := range []string{"lb has failed", "the expectation is false", "export KUBECONFIG='/k'", "export SIMCLOUD_ENDPOINT='http://c'", "--namespace test-lb", "less '/ccm.log'", "Enter"} {
		if len(said.said) != 3 || !strings.Contains(said.said[0], want) {
			t.Errorf("said %q, want %q", said.said, want)
		}
	}
	if !strings.Contains(said.said[2], "no one can press Enter") {
		t.Errorf("said %q", said.said[2])
	}
	in, out := io.Pipe() // a user who presses nothing
	defer func() { _ = out.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	testOptions{pause: true}.pauser(output.Streams{In: in}, said)(ctx, at)
	if (testOptions{}).pauser(output.Streams{}, said) != nil {
		t.Error("it pauses without being asked")
	}
}

// TestRunTimeout: the end of the run's own time is reported, and is a failure rather than an interruption.
func TestRunTimeout(t *testing.T) {
	ctx, cancel := testOptions{timeout: time.Millisecond}.limited(t.Context())
	defer cancel()
	<-ctx.Done()
	err := (testOptions{}).verdict(ctx, scenarios.Report{}, context.Cause(ctx))
	if got := exit.Report(io.Discard, err); got != exit.CodeFailed || endsEarly(ctx) != "the run's time of 1ms is over (--timeout)" {
		t.Errorf("code %d, %s", got, endsEarly(ctx))
	}
	ctx, cancel = testOptions{}.limited(t.Context())
	if ctx.Err() != nil {
		t.Error("a run without a limit has ended")
	}
	cancel()
	if got := exit.Report(io.Discard, (testOptions{}).verdict(ctx, scenarios.Report{}, context.Cause(ctx))); got != exit.CodeInterrupted || endsEarly(ctx) != "interrupted" {
		t.Errorf("code %d, %s", got, endsEarly(ctx))
	}
}
