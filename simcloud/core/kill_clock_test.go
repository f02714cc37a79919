package core_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// killClockFile is killFile for TestWaitUntilKilled.
const killClockFile = "SIMCLOUD_TEST_KILL_CLOCK_FILE"

// TestWaitUntilKilled is the victim of TestKillWhileOperationsRun: it starts
// operations under a manual clock, says what it has, and waits.
func TestWaitUntilKilled(t *testing.T) {
	path := os.Getenv(killClockFile)
	if path == "" {
		t.Skip("runs in the process that TestKillWhileOperationsRun starts")
	}
	cloud, ctx := openAt(t, path, store.Options{}, core.Config{Progression: minute}), t.Context()
	must[simcloud.ClockStatus](t)(cloud.SetClock(ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "timed"}))
	must[simcloud.ClockAdvance](t)(cloud.AdvanceClock(ctx, simcloud.Duration(20*time.Second)))
	polls := pollsOf(2)
	must[simcloud.Config](t)(cloud.UpdateConfig(ctx, simcloud.ConfigUpdate{Progression: &polls}))
	must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "polled"}))
	raw := must[[]byte](t)(json.Marshal(must[simcloud.State](t)(cloud.GetState(ctx))))
	fmt.Fprintln(os.Stderr, string(raw))
	<-ctx.Done()
}

// TestKillWhileOperationsRun: after a kill -9 a manual clock stands where it
// stood, and what was under way goes on as it began.
func TestKillWhileOperationsRun(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	before := waitAndKill(t, path)
	cloud, ctx := openAt(t, path, store.Options{}, core.Config{}), t.Context()
	if diff := cmp.Diff(before, must[simcloud.State](t)(cloud.GetState(ctx))); diff != "" {
		t.Fatalf("after the kill (-before +after):\n%s", diff)
	}
	if fired := must[simcloud.ClockAdvance](t)(cloud.AdvanceClock(ctx, simcloud.Duration(40*time.Second-1))).Fired; len(fired) != 0 {
		t.Errorf("before its time: %v", fired)
	}
	fired := must[simcloud.ClockAdvance](t)(cloud.AdvanceClock(ctx, 1)).Fired
	if len(fired) != 1 || fired[0].Resource.ID != "i-1" || !fired[0].Finished.Equal(before.Operations[0].ReadyAt) {
		t.Errorf("at its time: %v", fired)
	}
	for _, want := range []simcloud.InstanceState{simcloud.InstancePending, simcloud.InstanceRunning} {
		if got := must[simcloud.Instance](t)(cloud.GetInstance(ctx, "i-2")).State; got != want {
			t.Errorf("the one that waits for reads is %s, want %s", got, want)
		}
	}
}

// waitAndKill runs the victim until it waits, and returns what it had.
func waitAndKill(t *testing.T, path string) (state simcloud.State) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWaitUntilKilled$")
	cmd.Env = append(os.Environ(), killClockFile+"="+path)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, readErr := bufio.NewReader(stderr).ReadBytes('\n')
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil || readErr != nil {
		t.Fatalf("the victim ended by itself: %v, %v", err, readErr)
	}
	if err := json.Unmarshal(said, &state); err != nil {
		t.Fatal(err)
	}
	return state
}
