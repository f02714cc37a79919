package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/cloud"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestUpEndsWithItsCloud: a data file that is cut under a sandbox ends it as it ends serve: with exit code 3 and what to do.
func TestUpEndsWithItsCloud(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	kube := fakeKube(t, "exec sleep 1000")
	port, err := process.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	address, file := fmt.Sprintf("127.0.0.1:%d", port), filepath.Join(t.TempDir(), "cloud.db")
	var out, errs lockedBuffer
	ended := make(chan int, 1)
	go func() {
		args := []string{"up", "--ccm", "none", "--nodes", "1", "--kube", kube, "--data", file, "--listen", address, "--timeout", "1h"}
		ended <- run(args, output.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	}()
	waittest.For(t, "the control plane starts", func() bool { return strings.Contains(errs.String(), "prepare the cloud: ") })
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	c := simtest.Dial(t, client.Config{Endpoint: "http://" + address, TokenFile: file + ".token", Retries: -1})
	if _, err := createInstance(t, c, "node"); simcloud.CodeOf(err) != simcloud.Unavailable {
		t.Errorf("a call gets %v", err)
	}
	ctx, cancel := waittest.Context(t)
	defer cancel()
	select {
	case code := <-ended:
		if code != exit.CodeEnvironment {
			t.Errorf("exit code %d, want %d", code, exit.CodeEnvironment)
		}
	case <-ctx.Done():
		t.Fatalf("it has not ended:\n%s", errs.String())
	}
	for _, want := range []string{errCloudEnded.Error(), `look at it with "simcloud check"`, file, "The logs are in "} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, errs.String())
		}
	}
}

// TestUpWarnsOfTokensInTheClear: only where other machines can read them.
func TestUpWarnsOfTokensInTheClear(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	kube := fakeKube(t, "exit 1")
	for address, want := range map[string]int{"0.0.0.0:0": 1, "127.0.0.1:0": 0} {
		_, out, errs := simcloudMain("up", "--ccm", "none", "--nodes", "1", "--kube", kube, "--ephemeral", "--listen", address)
		if got := strings.Count(errs, cloud.TokensInClear); got != want || !strings.Contains(errs, "open the cloud: ") {
			t.Errorf("%s: %d warnings, want %d:\n%s%s", address, got, want, out, errs)
		}
	}
}
