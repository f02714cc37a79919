package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
)

// TestTutorial follows docs/writing-a-provider.md from top to bottom in one
// shell, as a reader does: it writes the files, runs the commands, and holds
// what they print against what stands there.
func TestTutorial(t *testing.T) {
	planetest.Cluster(t)
	planetest.Nightly(t, "TestDocumentedCommandsExist holds its commands and flags, TestDocumentedProvider its Go")
	b := buildBinaries(t)
	text, err := os.ReadFile("../../../docs/writing-a-provider.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	layClone(t, filepath.Join(dir, "simcloud"), b.dir)
	t.Cleanup(func() { _ = b.command("simcloud", "down").Run() })

	script, steps := tutorialScript(string(text), dir)
	if len(steps) < 5 {
		t.Fatalf("the tutorial has only %d commands with an output", len(steps))
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = dir, append(b.env, "SIMCLOUD_TIMEOUT=1h") // for up; the tests, which heed it too, take long
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, step := range steps {
		got, err := os.ReadFile(outputFile(dir, i))
		if err != nil {
			t.Fatal(err)
		}
		if !printed(step.want, string(got)) {
			t.Errorf("$ %s\nprints\n%s\nwant\n%s", step.command, got, step.want)
		}
	}
}

// layClone makes a folder that looks like a clone after "make build": this tree with the binaries of the test.
func layClone(t *testing.T, dir, bin string) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{"bin": bin}
	for _, e := range entries {
		if e.Name() != "bin" {
			links[e.Name()] = filepath.Join(root, e.Name())
		}
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// tutorialStep is a command and what it prints, as it is documented.
type tutorialStep struct{ command, want string }

// fenced finds the code blocks of a page with their languages.
var fenced = regexp.MustCompile("(?ms)^```(go|sh|console)\n(.*?)^```$")

// tutorialScript turns a page into a script: blocks of Go are files whose name
// is in their first line, sh is run, and of console what follows a prompt. What
// the latter prints goes to files, and a failure there does not end the script:
// some are meant to fail.
func tutorialScript(page, dir string) (script string, steps []tutorialStep) {
	var b strings.Builder
	for _, block := range fenced.FindAllStringSubmatch(page, -1) {
		switch language, body := block[1], block[2]; language {
		case "go":
			first, rest, _ := strings.Cut(body, "\n")
			name := strings.TrimPrefix(first, "// ")
			fmt.Fprintf(&b, "cat > %s <<'END-OF-FILE'\n%sEND-OF-FILE\n", name, strings.TrimLeft(rest, "\n"))
		case "sh":
			b.WriteString(body)
		case "console":
			for _, step := range strings.Split("\n"+body, "\n$ ")[1:] {
				command, want, _ := strings.Cut(step, "\n")
				if isSetUp(command) {
					continue
				}
				fmt.Fprintf(&b, "{ %s; } > %s 2>&1 || true\n", command, outputFile(dir, len(steps)))
				steps = append(steps, tutorialStep{command, want})
			}
		}
	}
	return b.String(), steps
}

// isSetUp reports whether a command makes the clone that the test has laid out already.
func isSetUp(command string) bool {
	return strings.HasPrefix(command, "git clone ") || strings.Contains(command, "make build")
}

func outputFile(dir string, step int) string {
	return filepath.Join(dir, fmt.Sprintf("output-%d", step))
}
