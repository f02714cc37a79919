package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// TestUpThatFailsKeepsItsLogs: of a sandbox that did not start only the logs are left, and the error says where.
func TestUpThatFailsKeepsItsLogs(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	code, out, errs := simcloudMain("up", "--ccm", "none", "--nodes", "1", "--kube", fakeKube(t, "echo there is no room; exit 1"))
	s := testSandbox(t, "default")
	if code != exit.CodeEnvironment || !strings.Contains(errs, "The logs are in "+s.Path("logs")) {
		t.Errorf("code %d, want %d and where the logs are\n%s%s", code, exit.CodeEnvironment, out, errs)
	}
	found, err := filepath.Glob(s.Path("kube", "logs", "*.log"))
	if err != nil || len(found) == 0 || !strings.Contains(readAll(t, found), "there is no room") {
		t.Errorf("the logs %q, %v: want what the control plane said", found, err)
	}
	if _, err := os.Stat(s.Path("state.json")); !os.IsNotExist(err) {
		t.Errorf("the state is still there: %v", err)
	}
}

// TestInterruptEndsUpWell: a sandbox that is ready runs until it is asked to end, which is no failure.
func TestInterruptEndsUpWell(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if err := (&up{}).keepState(ctx); err != nil {
		t.Errorf("%v, want no error", err)
	}
}
