package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
)

// versions are what the engines answer when they work.
var versions = map[string]string{
	"docker":  `echo '{"Client":{"Version":"28.2.2"},"Server":{"Version":"20.10.24+dfsg1"}}'`,
	"podman":  `echo '{"Client":{"Version":"4.3.1"}}'`,
	"nerdctl": `echo '{"Client":{"Version":"v2.0.3"},"Server":{"Components":[]}}'`,
}

// onPath makes these scripts, by name, the only commands on the PATH besides
// the system's. They write their arguments, a call a line, to the file that is returned;
// but not when they are asked for the id of a container whose end takes long, as any does on a busy machine.
func onPath(t *testing.T, scripts map[string]string) (calls string) {
	t.Helper()
	dir := t.TempDir()
	calls = filepath.Join(dir, "calls")
	for name, body := range scripts {
		text := "#!/bin/sh\ncase \"$*\" in \"ps --all --quiet --no-trunc --filter name=\"*) exit;; esac\necho \"" + name + " $*\" >>" + calls + "\n" + body + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	return calls
}

// fake is an engine of this name whose command does what the body says when it
// is neither asked for its version nor for its state. It returns the calls so far.
func fake(t *testing.T, name, body string) (*engine.Engine, func() string) {
	t.Helper()
	script := `case "$1" in version) ` + versions[name] + `; exit;; info) echo '{}'; exit;; esac` + "\n" + body
	calls := onPath(t, map[string]string{name: script})
	e, err := engine.Find(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(calls); err != nil {
		t.Fatal(err)
	}
	return e, func() string {
		raw, err := os.ReadFile(calls)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(raw))
	}
}
