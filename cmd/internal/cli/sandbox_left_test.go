package cli

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// crashes makes a sandbox look as one that crashed, with a log that has its name.
func crashes(t *testing.T, name string) sandbox {
	t.Helper()
	s := testSandbox(t, name)
	lock := runs(t, s, sandboxState{Name: name, Phase: phaseReady})
	err := errors.Join(os.MkdirAll(s.path("logs"), 0o700), os.WriteFile(s.path("logs", "simcloud.log"), []byte(name+"\n"), 0o600), lock.release())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// alsoRuns makes a sandbox that crashed run again.
func alsoRuns(t *testing.T, s sandbox) sandbox {
	t.Helper()
	runsElsewhere(t, s)
	return s
}

func TestLogsWithoutANameAreOfTheSandboxThatRuns(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SIMCLOUD_SANDBOX", "")
	logs := func(want string) {
		t.Helper()
		if code, out, errs := simcloudMain("logs"); code != exitOK || out != want {
			t.Errorf("code %d, %q, %s; want %q", code, out, errs, want)
		}
	}
	b := crashes(t, "b")
	logs("b\n")
	c := crashes(t, "c")
	if code, _, errs := simcloudMain("logs"); code != exitUsage || !strings.Contains(errs, "b, c") {
		t.Errorf("two that crashed: code %d, %s; want both", code, errs)
	}
	crashes(t, "default")
	logs("default\n")
	alsoRuns(t, b)
	logs("b\n")
	alsoRuns(t, c)
	if code, _, errs := simcloudMain("logs"); code != exitUsage || !strings.Contains(errs, "b, c") {
		t.Errorf("two that run: code %d, %s; want both", code, errs)
	}
}

func TestDownWithoutAName(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SIMCLOUD_SANDBOX", "")
	b, c, crashed := alsoRuns(t, crashes(t, "b")), alsoRuns(t, crashes(t, "c")), crashes(t, "default")
	if code, _, errs := simcloudMain("down"); code != exitOK || crashed.exists() || !b.running() || !c.running() {
		t.Errorf("what is left of the default one goes first: code %d, %s", code, errs)
	}
	if code, _, errs := simcloudMain("down"); code != exitUsage || !strings.Contains(errs, "b, c") || !b.running() || !c.running() {
		t.Errorf("several others: code %d, %s; want their names, and both alive", code, errs)
	}
	if code, _, errs := simcloudMain("down", "--name", "b"); code != exitOK || b.exists() {
		t.Errorf("a named one: code %d, %s", code, errs)
	}
	if code, _, errs := simcloudMain("down"); code != exitOK || c.exists() || !strings.Contains(errs, "sandbox c is gone") {
		t.Errorf("the only one: code %d, %s", code, errs)
	}
}
