package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
)

// ciFiles are the documents and examples that tell how to run simcloud in CI.
func ciFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"ci.md", "examples/github-actions.yaml", "examples/ci.sh"} {
		raw, err := os.ReadFile(filepath.Join("../../../docs", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(raw)
	}
	return files
}

// TestWorkflowOfGitHub: the examples have no mistake that can be known before they run.
func TestWorkflowOfGitHub(t *testing.T) {
	for _, name := range []string{"github-actions.yaml", "release.yaml"} {
		text, err := os.ReadFile(filepath.Join("../../../docs/examples", name))
		if err != nil {
			t.Fatal(err)
		}
		lintWorkflow(t, text)
	}
}

func lintWorkflow(t *testing.T, workflow []byte) {
	t.Helper()
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := linter.Lint("workflow.yaml", workflow, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		t.Errorf("%v\n%s", e, workflow)
	}
}

// TestWorkflowOfGitLab: the example of the document is YAML, and names the script, what it takes, and files of a report.
func TestWorkflowOfGitLab(t *testing.T) {
	_, text, found := strings.Cut(ciFiles(t)["ci.md"], "In GitLab CI")
	_, text, fenced := strings.Cut(text, "```yaml\n")
	text, _, ended := strings.Cut(text, "```")
	var jobs map[string]struct {
		Image     string            `json:"image"`
		Parallel  int               `json:"parallel"`
		Script    string            `json:"script"`
		Retry     map[string]any    `json:"retry"`
		Cache     map[string]any    `json:"cache"`
		Variables map[string]string `json:"variables"`
		Artifacts struct {
			When    string            `json:"when"`
			Paths   []string          `json:"paths"`
			Reports map[string]string `json:"reports"`
		} `json:"artifacts"`
	}
	if err := yaml.UnmarshalStrict([]byte(text), &jobs); err != nil || !found || !fenced || !ended {
		t.Fatalf("%v:\n%s", err, text)
	}
	job := jobs["scenarios"]
	if !strings.HasPrefix(job.Script, "SHARD=") || !strings.HasSuffix(job.Script, " sh ci.sh") || job.Artifacts.When != "always" || job.Artifacts.Reports["junit"] != "out/junit.xml" {
		t.Errorf("the job is %+v", job)
	}
}

// TestWorkflowKeepsReports: also of runs that failed, and each attempt's own; the cache follows the version that was installed.
func TestWorkflowKeepsReports(t *testing.T) {
	text := ciFiles(t)["examples/github-actions.yaml"]
	for _, want := range []string{
		"if: always()\n        with:\n          name: report-${{ matrix.shard }}-${{ github.run_attempt }}\n          path: out\n",
		"runner.arch }}-${{ steps.simcloud.outputs.version }}\n", "pattern: report-*-${{ github.run_attempt }}\n", "report merge shards/* --report out\n", "--report out --summary \"$GITHUB_STEP_SUMMARY\"",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the workflow lacks %q", want)
		}
	}
	if code, out, errs := simcloudMain("version", "-o", "json"); code != exit.CodeOK || !strings.Contains(out, `"version": `) {
		t.Errorf("what the workflow reads the version of: code %d, %s%s", code, out, errs)
	}
}

// TestCCMOfCI: the examples fit a CCM that reads no cloud config of simcloud-ccm, and cannot do everything.
func TestCCMOfCI(t *testing.T) {
	for name, text := range ciFiles(t) {
		if strings.Contains(text, "{cloud-config}") {
			t.Errorf("%s: a CCM of another project ends at the unknown keys of simcloud-ccm's cloud config", name)
		}
		if !strings.Contains(text, "caps.yaml") && !strings.Contains(text, "CAPABILITIES") {
			t.Errorf("%s: a CCM without all capabilities must not fail for ever: want --capabilities", name)
		}
	}
}

// TestFlagsOfCI: what the documents call simcloud with, it has.
func TestFlagsOfCI(t *testing.T) {
	test, _, err := newRootCommand(output.Streams{Out: io.Discard, Err: io.Discard}).Find([]string{"test"})
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile(`"[^"]*"`)
	flag := regexp.MustCompile("(?m)(?:^|[ `])--([a-z-]+)")
	checked := 0
	for name, text := range ciFiles(t) {
		for _, line := range strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n") {
			if !strings.Contains(line, "simcloud test ") && !strings.HasPrefix(line, "| `-") {
				continue
			}
			for _, found := range flag.FindAllStringSubmatch(quoted.ReplaceAllString(line, ""), -1) {
				checked++
				if test.Flags().Lookup(found[1]) == nil {
					t.Errorf("%s: simcloud test has no flag --%s", name, found[1])
				}
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d flags were found", checked)
	}
}

// TestFilesOfCI: the documents name each file of a report, and each exit code.
func TestFilesOfCI(t *testing.T) {
	dir, text := t.TempDir(), ciFiles(t)["ci.md"]
	if err := report.Write(dir, scenarios.Report{}); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.Contains(text, "| `"+f.Name()+"` |") {
			t.Errorf("ci.md does not say what %s is", f.Name())
		}
	}
	for _, code := range []int{exit.CodeOK, exit.CodeFailed, exit.CodeUsage, exit.CodeEnvironment, exit.CodeInterrupted} {
		if !strings.Contains(text, fmt.Sprintf("| %d | ", code)) {
			t.Errorf("ci.md does not say what the exit code %d means", code)
		}
	}
}

// TestScriptOfCI: the script for any server calls simcloud as it says, and ends as simcloud does.
func TestScriptOfCI(t *testing.T) {
	bin := t.TempDir()
	fake := "#!/bin/sh\n[ \"$1\" = kube ] && exit 0\necho \"$@\"\nexit \"$CODE\"\n"
	if err := os.WriteFile(filepath.Join(bin, "simcloud"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	for code, says := range map[int]string{0: "all scenarios passed", 1: "my out/report.html", 2: "nothing ran", 3: "my out/logs", 130: "ended from outside"} {
		script := exec.CommandContext(t.Context(), "sh", "../../../docs/examples/ci.sh")
		script.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), fmt.Sprintf("CODE=%d", code), "REPORT=my out", "SHARD=2/3", "CCM=x --y={kubeconfig}", "CAPABILITIES=my caps.yaml")
		out, err := script.CombinedOutput()
		var ended *exec.ExitError
		if errors.As(err, &ended) != (code != 0) || script.ProcessState.ExitCode() != code {
			t.Errorf("code %d: %v\n%s", code, err, out)
		}
		if want := "test --ccm x --y={kubeconfig} --capabilities my caps.yaml --shard 2/3 --report my out\n"; !strings.HasPrefix(string(out), want) || !strings.Contains(string(out), says) {
			t.Errorf("code %d: it says %s, want %s and %q", code, out, want, says)
		}
	}
}
