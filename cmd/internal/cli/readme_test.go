package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
)

// TestReadmeTour runs the commands of the README's tour in one shell, in a folder that looks like a clone, as a user does
// who pastes them, and holds what they print against what stands there.
func TestReadmeTour(t *testing.T) {
	b := buildBinaries(t)
	planetest.Slot(t)
	dir := t.TempDir()
	layClone(t, filepath.Join(dir, "clone"), b.dir)
	script, steps := tutorialScript(readmeTour(t), dir)
	if !strings.Contains(script, "simcloud up --detach") {
		t.Fatalf("the README has no tour:\n%s", script)
	}
	t.Cleanup(func() { _ = b.command("simcloud", "down").Run() })

	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = filepath.Join(dir, "clone"), append(b.env, "PATH="+os.Getenv("PATH"), "SIMCLOUD_TIMEOUT="+upTimeout.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for i, step := range steps {
		got, err := os.ReadFile(outputFile(dir, i))
		if err != nil {
			t.Fatal(err)
		}
		if !printed(step.want, string(got)) && !goneAlready(step.command, string(got)) {
			t.Errorf("$ %s\nprints\n%s\nwant\n%s", step.command, got, step.want)
		}
	}
}

// readmeTour is the section of the README with the tour.
func readmeTour(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tour, begins := strings.Cut(string(text), "\n## A tour\n")
	tour, _, ends := strings.Cut(tour, "\n## ")
	if !begins || !ends {
		t.Fatal("the README has no tour")
	}
	return tour
}

// goneAlready reports whether kubectl waited for the end of an object that ended before it looked: it prints nothing then.
func goneAlready(command, output string) bool {
	return strings.HasPrefix(command, "kubectl wait --for=delete ") && output == ""
}

// TestDocumentedCommandsExist holds the lines of the documentation that begin
// with a prompt, and its scripts, against the commands and flags that there are.
func TestDocumentedCommandsExist(t *testing.T) {
	docs, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	prompt := regexp.MustCompile(`^\$ (simcloud|make) (.*)$`)
	for _, path := range append(docs, "../../../README.md") {
		for _, block := range codeBlocks(t, path, "sh") {
			// Without the ":" callsOf takes a block that begins with simcloud, and has no special character of the shell, for
			// one command with the words of all lines. With it bash runs the block line by line.
			checkCommands(t, path, ":\n"+block)
		}
		for _, block := range codeBlocks(t, path, "console") {
			for line := range strings.Lines(block) {
				words := prompt.FindStringSubmatch(strings.TrimSpace(line))
				switch {
				case words == nil:
				case words[1] == "make":
					checkMakeTarget(t, path, strings.Fields(words[2])[0])
				default:
					checkCommands(t, path, "simcloud "+words[2])
				}
			}
		}
	}
}

// checkSelector wants scenarios of the library behind a selector.
func checkSelector(t *testing.T, path string, args []string) {
	t.Helper()
	if args[0] != "test" {
		return
	}
	cmd := newTestCommand(output.Streams{})
	if err := cmd.ParseFlags(args[1:]); err != nil || cmd.Flags().NArg() > 0 {
		return // an error is told above, and files are not there
	}
	selector := cmd.Flags().Lookup("selector").Value.String()
	if _, err := selectScenarios(t.Context(), testOptions{selector: selector, parallel: 1, repeat: 1}, nil); err != nil {
		t.Errorf("%s: simcloud %s: %v", path, strings.Join(args, " "), err)
	}
}

// checkCommands finds the commands of a line or a script, parses their flags and checks their arguments.
func checkCommands(t *testing.T, path, script string) {
	t.Helper()
	for _, args := range callsOf(t, t.TempDir(), script) {
		if _, err := parsed(args); err != nil {
			t.Errorf("%s: simcloud %s: %v", path, strings.Join(args, " "), err)
		}
		checkSelector(t, path, args)
	}
}

// checkMakeTarget wants a target in the Makefile, and CI to call it or to be where it is called.
func checkMakeTarget(t *testing.T, path, target string) {
	t.Helper()
	makefile, err := os.ReadFile("../../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).Match(makefile) {
		t.Errorf("%s: make %s: the Makefile has no such target", path, target)
	}
	ci, err := os.ReadFile("../../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^\s*make .*\b` + regexp.QuoteMeta(target) + `\b`).Match(ci) {
		t.Errorf("%s: make %s: CI does not run it", path, target)
	}
}

// codeBlocks returns the fenced blocks of a Markdown file that are marked with a language.
func codeBlocks(t *testing.T, path, language string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	var block *strings.Builder
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimSuffix(line, "\n"); {
		case block == nil && line == "```"+language:
			block = &strings.Builder{}
		case block != nil && line == "```":
			blocks, block = append(blocks, block.String()), nil
		case block != nil:
			block.WriteString(line + "\n")
		}
	}
	return blocks
}
