package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestFaultExamples runs the commands of docs/faults.md, each section on a
// cloud of its own, and holds what they print against what stands there.
func TestFaultExamples(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(text), "\n## ")[1:]
	if len(sections) < 12 {
		t.Fatalf("%d sections: there is one for each effect", len(sections))
	}
	for _, section := range sections {
		name, body, _ := strings.Cut(section, "\n")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "section.md")
			if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
			examples := codeBlocks(t, path, "console")
			if len(examples) == 0 {
				t.Fatal("it has no example")
			}
			runExample(t, strings.Join(examples, ""))
		})
	}
}

// runExample runs the lines that begin with a prompt; the others are what they print.
func runExample(t *testing.T, example string) {
	dir := t.TempDir()
	env := append(os.Environ(), "XDG_STATE_HOME="+dir, "SIMCLOUD_TOKEN_FILE="+filepath.Join(dir, "token"))
	cloud, err := startServe(dir, env, []string{"--ephemeral", "--seed", "1", "--token-file", "token"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.end(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	})
	env = append(env, "SIMCLOUD_ENDPOINT="+cloud.url())
	for _, step := range strings.Split("\n"+example, "\n$ ")[1:] {
		command, want, _ := strings.Cut(step, "\n")
		cmd := exec.CommandContext(t.Context(), "bash", "-c", command)
		cmd.Dir, cmd.Env = dir, env
		got, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if !printed(want, strings.ReplaceAll(string(got), "\r", "")) {
			t.Errorf("$ %s\nprints\n%s\nwant\n%s", command, got, want)
		}
	}
}

// printed reports whether an output is as it is documented: … stands for any text, and runs of spaces for one.
func printed(documented, output string) bool {
	squeeze := func(s string) string { return regexp.MustCompile(` +`).ReplaceAllString(strings.TrimSpace(s), " ") }
	pattern := strings.ReplaceAll(regexp.QuoteMeta(squeeze(documented)), "…", "(?s:.*)")
	return regexp.MustCompile("^" + pattern + "$").MatchString(squeeze(output))
}
