package cli

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// crashes makes a sandbox look as one that crashed, with a log that has its name.
func crashes(t *testing.T, name string) sandbox.Folder {
	t.Helper()
	s := testSandbox(t, name)
	lock := runs(t, s, sandbox.State{Name: name, Phase: sandbox.PhaseReady})
	err := errors.Join(os.MkdirAll(s.Path("logs"), 0o700), os.WriteFile(s.Path("logs", "simcloud.log"), []byte(name+"\n"), 0o600), lock.Release())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// alsoRuns makes a sandbox that crashed run again.
func alsoRuns(t *testing.T, s sandbox.Folder) sandbox.Folder {
	t.Helper()
	runsElsewhere(t, s)
	return s
}

func TestLogsWithoutANameAreOfTheSandboxThatRuns(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SIMCLOUD_SANDBOX", "")
	logs := func(want string) {
		t.Helper()
		if code, out, errs := simcloudMain("logs"); code != exit.CodeOK || out != want {
			t.Errorf("code %d, %q, %s; want %q", code, out, errs, want)
		}
	}
	b := crashes(t, "b")
	logs("b\n")
	c := crashes(t, "c")
	if code, _, errs := simcloudMain("logs"); code != exit.CodeUsage || !strings.Contains(errs, "b, c") {
		t.Errorf("two that crashed: code %d, %s; want both", code, errs)
	}
	crashes(t, "default")
	logs("default\n")
	alsoRuns(t, b)
	logs("b\n")
	alsoRuns(t, c)
	if code, _, errs := simcloudMain("logs"); code != exit.CodeUsage || !strings.Contains(errs, "b, c") {
		t.Errorf("two that run: code %d, %s; want both", code, errs)
	}
}

func TestDownWithoutAName(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SIMCLOUD_SANDBOX", "")
	b, c, crashed := alsoRuns(t, crashes(t, "b")), alsoRuns(t, crashes(t, "c")), crashes(t, "default")
	if code, _, errs := simcloudMain("down"); code != exit.CodeOK || crashed.Exists() || !b.Running() || !c.Running() {
		t.Errorf("what is left of the default one goes first: code %d, %s", code, errs)
	}
	if code, _, errs := simcloudMain("down"); code != exit.CodeUsage || !strings.Contains(errs, "b, c") || !b.Running() || !c.Running() {
		t.Errorf("several others: code %d, %s; want their names, and both alive", code, errs)
	}
	if code, _, errs := simcloudMain("down", "--name", "b"); code != exit.CodeOK || b.Exists() {
		t.Errorf("a named one: code %d, %s", code, errs)
	}
	if code, _, errs := simcloudMain("down"); code != exit.CodeOK || c.Exists() || !strings.Contains(errs, "sandbox c is gone") {
		t.Errorf("the only one: code %d, %s", code, errs)
	}
}
