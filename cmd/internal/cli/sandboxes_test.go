package cli

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/e2e/machine"
)

// TestSandboxList: all sandboxes are listed, whatever became of them.
func TestSandboxList(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	started := time.Now().Add(-2 * time.Hour)
	ready := sandbox.State{
		Name: "default", PID: os.Getpid(), Phase: sandbox.PhaseReady, Endpoint: "http://127.0.0.1:1", Backend: "embedded", Kubeconfig: "/k", Started: started,
		CCM:      sandbox.CCM{Name: "simcloud-ccm", Running: true},
		Machines: []machine.Status{{Name: "node-1", State: machine.Running}, {Name: "node-2", State: machine.Failed}},
	}
	runs(t, testSandbox(t, "default"), ready)
	crashed := runs(t, testSandbox(t, "old"), sandbox.State{Name: "old", Phase: sandbox.PhaseReady, Endpoint: "http://127.0.0.1:2", Started: started})
	starting := testSandbox(t, "young")
	lock, err := starting.Lock()
	if err := errors.Join(err, crashed.Release()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	want := strings.Join([]string{
		"NAME     PHASE     AGE   ENDPOINT            NODES  CCM",
		"default  ready     120m  http://127.0.0.1:1  1/2    simcloud-ccm, running",
		"old      crashed   120m  http://127.0.0.1:2  0/0    none",
		"young    starting  -     -                   0/0    none",
		"",
	}, "\n")
	for _, alias := range []string{"list", "ls", "ps"} {
		code, out, errs := simcloudMain("sandbox", alias)
		if diff := cmp.Diff(want, out); code != exit.CodeOK || diff != "" {
			t.Errorf("%s: code %d, %s (-want +got):\n%s", alias, code, errs, diff)
		}
	}
	_, out, _ := simcloudMain("sandbox", "list", "-o", "json")
	var states []sandbox.State
	if err := json.Unmarshal([]byte(out), &states); err != nil || len(states) != 3 || states[0].Endpoint != ready.Endpoint {
		t.Errorf("json: %v: %s", err, out)
	}
	if _, out, _ = simcloudMain("sandbox", "list", "-o", "name"); out != "default\nold\nyoung\n" {
		t.Errorf("names: %q", out)
	}
}

// TestNameIsSandbox: --name still names a sandbox, and no help shows it.
func TestNameIsSandbox(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, command := range []string{"up", "down", "status", "env", "logs"} {
		for _, flag := range []string{"--name", "--sandbox"} {
			code, _, errs := simcloudMain(command, flag, "No/Way")
			if code != exit.CodeUsage || !strings.Contains(errs, `--sandbox "No/Way" is not a name of a sandbox`) {
				t.Errorf("%s %s: code %d, %s", command, flag, code, errs)
			}
		}
		if _, help, _ := simcloudMain(command, "--help"); strings.Contains(help, "--name ") || !strings.Contains(help, "--sandbox ") {
			t.Errorf("the help of %s is %s", command, help)
		}
		t.Setenv("SIMCLOUD_SANDBOX", "From/Env")
		if code, _, errs := simcloudMain(command); code != exit.CodeUsage || !strings.Contains(errs, "From/Env") {
			t.Errorf("%s: code %d, %s; want the sandbox of the environment", command, code, errs)
		}
		t.Setenv("SIMCLOUD_SANDBOX", "")
	}
}
