package cli

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// commands returns all commands below a command, each before those below it.
func commands(cmd *cobra.Command) (all []*cobra.Command) {
	for _, child := range cmd.Commands() {
		all = append(append(all, child), commands(child)...)
	}
	return all
}

// acts reports whether a command does something but show its help.
func acts(cmd *cobra.Command) bool {
	return cmd.Runnable() && reflect.ValueOf(cmd.RunE).Pointer() != reflect.ValueOf(usage.ShowHelp).Pointer()
}

// exampleLines are the lines of a command's example, without what indents them.
func exampleLines(cmd *cobra.Command) (lines []string) {
	for line := range strings.Lines(cmd.Example) {
		lines = append(lines, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "  "))
	}
	return lines
}

// otherLines are the beginnings of lines in which the shell or another program takes what simcloud prints.
var otherLines = []string{`eval "$(simcloud `, `docker load -i "$(simcloud `}

// callsOf returns the arguments of each call of simcloud in a line, as bash reads it. Other programs are not run.
func callsOf(t *testing.T, home, line string) (calls [][]string) {
	t.Helper()
	if words := strings.Fields(line); words[0] == "simcloud" && !strings.ContainsAny(line, "'\"$~&|<>(){}*;") {
		return [][]string{words[1:]} // as bash would, and sooner
	}
	const preamble = `exec 3>&1; simcloud() { printf '%s\0' "$@" $'\036' >&3; }; command_not_found_handle() { :; }; `
	shell := exec.CommandContext(t.Context(), "bash", "-c", preamble+line)
	shell.Dir = t.TempDir()
	shell.Env = []string{"HOME=" + home, "PATH=" + shell.Dir} // which is empty
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	for _, call := range strings.SplitAfter(string(out), "\036\x00") {
		if args, whole := strings.CutSuffix(call, "\x00\036\x00"); whole {
			calls = append(calls, strings.Split(args, "\x00"))
		}
	}
	return calls
}

// TestExamplesParse wants an example of every command that does something, whose lines lead to that command
// and whose flags and arguments it accepts.
func TestExamplesParse(t *testing.T) {
	t.Parallel()
	for _, cmd := range commands(newRootCommand(output.Streams{})) {
		if acts(cmd) && cmd.Example == "" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for _, line := range exampleLines(cmd) {
			begins := func(with string) bool { return strings.HasPrefix(line, with) }
			if !begins("simcloud ") && !slices.ContainsFunc(otherLines, begins) {
				t.Errorf("%s: %q calls simcloud in no known way", cmd.CommandPath(), line)
			}
			calls := callsOf(t, t.TempDir(), line)
			if len(calls) == 0 {
				t.Fatalf("%s: %q does not call simcloud", cmd.CommandPath(), line)
			}
			for i, args := range calls {
				found, err := parsed(args)
				switch {
				case err != nil:
					t.Errorf("%s: %q: %v", cmd.CommandPath(), line, err)
				case i == 0 && found != cmd.CommandPath() && (acts(cmd) || !strings.HasPrefix(found, cmd.CommandPath()+" ")):
					t.Errorf("%s: %q is an example of %s", cmd.CommandPath(), line, found)
				}
			}
		}
	}
}

// parsed finds the command of a call. It returns the command's path, and what it has against the flags and arguments.
func parsed(args []string) (path string, err error) {
	cmd, rest, err := newRootCommand(output.Streams{}).Find(args)
	if err != nil {
		return "", err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return "", err
	}
	return cmd.CommandPath(), errors.Join(cmd.ValidateArgs(cmd.Flags().Args()), cmd.ValidateFlagGroups())
}

// notRun are the commands whose examples are only parsed, and why.
var notRun = map[string]string{
	"simcloud conformance":       "starts clusters",
	"simcloud explore":           "starts clusters",
	"simcloud test":              "starts clusters",
	"simcloud up":                "starts a cluster",
	"simcloud down":              "removes what other sandboxes of the machine have left",
	"simcloud env":               "needs a sandbox: TestEnv runs it",
	"simcloud kubectl":           "needs a sandbox: TestKubectl runs it",
	"simcloud logs":              "needs a sandbox: TestLogs runs it",
	"simcloud status":            "needs a sandbox",
	"simcloud events":            "does not end",
	"simcloud serve":             "does not end: TestScripts runs it",
	"simcloud kube path":         "builds Kubernetes",
	"simcloud lb set-ptr":        "needs an address that the cloud chooses: TestSetPTR runs it",
	"simcloud instance set-ptr":  "needs an address that the cloud chooses: TestSetPTR runs it",
	"simcloud subject build":     "builds a program: TestSubjectBuild runs it",
	"simcloud node-image build":  "builds an image",
	"simcloud node-image delete": "needs an image that was built",
	"simcloud node-image path":   "needs an image that was built",
}

// before are the lines that an example needs on top of the examples of all commands "create".
var before = map[string][]string{
	"simcloud instance start":             {"simcloud instance stop node-1"},
	"simcloud instance resize":            {"simcloud instance stop node-1"},
	"simcloud instance address remove":    {"simcloud instance address add node-1 --address 10.0.0.50"},
	"simcloud instance network detach":    {"simcloud instance network attach node-1 backend"},
	"simcloud fip detach":                 {"simcloud fip attach web-ip i-1"},
	"simcloud lb network detach":          {"simcloud lb network attach web default"},
	"simcloud lb disable-public":          {"simcloud lb network attach web default", "simcloud lb target delete web node-1"},
	"simcloud volume detach":              {"simcloud volume attach data-1 node-1"},
	"simcloud route-table route delete":   {"simcloud route-table route create spare 10.244.1.0/24 --instance node-1"},
	"simcloud target-group remove-target": {"simcloud target-group add-target nodes node-1:30081"},
	"simcloud clock advance":              {"simcloud clock set manual"},
	"simcloud fault get":                  {"simcloud fault add --name lost --effect hang --operation CreateVolume"},
	"simcloud fault delete":               {"simcloud fault add --name lost --effect hang --operation CreateVolume"},
	"simcloud snapshot load":              {"simcloud snapshot save before"},
	"simcloud snapshot diff":              {"simcloud snapshot save before", "simcloud snapshot save after"},
	"simcloud snapshot delete":            {"simcloud snapshot save before"},
}

// TestExamplesNameCommands: the tables of this file name commands that exist.
func TestExamplesNameCommands(t *testing.T) {
	t.Parallel()
	exist := map[string]bool{}
	for _, cmd := range commands(newRootCommand(output.Streams{})) {
		exist[cmd.CommandPath()] = acts(cmd)
	}
	for _, path := range slices.AppendSeq(slices.Collect(maps.Keys(notRun)), maps.Keys(before)) {
		if !exist[path] {
			t.Errorf("there is no command %q", path)
		}
	}
}

// TestExamplesRun runs the examples on clouds that have what the examples of the commands "create" make: those that
// only read on one, each line of the others on one of its own. The files that they name are there.
func TestExamplesRun(t *testing.T) {
	home := exampleHome(t)
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	t.Setenv("SIMCLOUD_TOKEN_FILE", "token")
	var reading, acting []*cobra.Command
	t.Chdir(home)
	onCloud(t, "cloud.db", func() {
		for _, cmd := range commands(newRootCommand(output.Streams{})) {
			switch name := cmd.Name(); {
			case !acts(cmd) || notRun[cmd.CommandPath()] != "":
			case name == "create" && !cmd.Parent().Parent().HasParent():
				runLines(t, home, runnable(cmd)...)
			case (name == "list" || name == "get") && before[cmd.CommandPath()] == nil:
				reading = append(reading, cmd)
			default:
				acting = append(acting, cmd)
			}
		}
		for _, cmd := range reading {
			runLines(t, home, runnable(cmd)...)
		}
	})
	seeded, err := os.ReadFile("cloud.db")
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range acting {
		for _, line := range runnable(cmd) {
			if err := errors.Join(os.WriteFile("running.db", seeded, 0o600), os.RemoveAll("running.db.snapshots")); err != nil {
				t.Fatal(err)
			}
			onCloud(t, "running.db", func() { runLines(t, home, append(before[cmd.CommandPath()], line)...) })
		}
	}
}

// runnable are the lines of a command's example but those that another program begins, and those that do not end.
func runnable(cmd *cobra.Command) []string {
	return slices.DeleteFunc(exampleLines(cmd), func(line string) bool {
		return !strings.HasPrefix(line, "simcloud ") || strings.Contains(line, " --follow")
	})
}

// exampleHome is a folder with the files that examples name.
func exampleHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	scenario, err := os.ReadFile("../../../scenarios/library/lb-provisioning.yaml")
	if err != nil {
		t.Fatal(err)
	}
	report := func(name string) string {
		return `{"started": "2026-11-21T10:00:00Z", "seed": 1, "phases": {}, "scenarios": [{"name": "` + name + `", "status": "passed"}]}`
	}
	for name, text := range map[string]string{
		"out-1/report.json":    report("a"),
		"out-2/report.json":    report("b"),
		"out-3/report.json":    report("c"),
		"out/report.json":      report("a"),
		"out-main/report.json": report("a"),
		"monday/report.json":   report("a"),
		"tuesday/report.json":  report("a"),
		".ssh/id_ed25519.pub":  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA me@here\n",
		"rules.yaml":           "- {match: {operation: 'List*'}, effect: {error: {code: unavailable}}}\n",
		"topology.yaml":        codeBlocks(t, "../../../docs/topology.md", "yaml")[0],
		"my-scenarios/lb.yaml": string(scenario),
	} {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// onCloud calls a function while the cloud of a data file is served, which commands speak to.
func onCloud(t *testing.T, file string, call func()) {
	t.Helper()
	cloud, err := sim.Open(t.Context(), sim.Config{Data: file, Listen: "127.0.0.1:0", TokenFile: "token", DataPlane: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("SIMCLOUD_ENDPOINT", cloud.URL())
	call()
	if err := cloud.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// runLines runs lines, each of which must succeed.
func runLines(t *testing.T, home string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		for _, args := range callsOf(t, home, line) {
			if code, _, errs := simcloudMain(args...); code != exit.CodeOK {
				t.Errorf("%s: code %d: %s", line, code, errs)
			}
		}
	}
}
