package embedded_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/embedded"
)

// TestAlive: a control plane lives through what it is asked to do, and tells
// which part of it has ended by itself.
func TestAlive(t *testing.T) {
	c := startClusterWith(t, embedded.Config{Kube: binary(t)})
	if err := c.RestartAPIServer(t.Context()); err != nil || c.Alive().Err() != nil {
		t.Fatalf("%v; after a restart: %v", err, context.Cause(c.Alive()))
	}
	c.kill(t, "kube-controller-manager")
	select {
	case <-c.Alive().Done():
	case <-time.After(60 * time.Second):
		t.Fatal("nobody has noticed that the kube-controller-manager is dead")
	}
	if why := context.Cause(c.Alive()).Error(); !strings.Contains(why, "ended by itself: kube-controller-manager: signal: killed") {
		t.Error(why)
	}
}

// TestStoppedOnPurpose: a stop is no loss.
func TestStoppedOnPurpose(t *testing.T) {
	c := startClusterWith(t, embedded.Config{Kube: binary(t)})
	if err := c.Stop(context.Background()); err != nil || c.Alive().Err() != nil {
		t.Errorf("%v, %v", err, context.Cause(c.Alive()))
	}
}

// kill kills a part of the control plane, which is a child of this process, as the kernel does when memory is short.
func (c *cluster) kill(t *testing.T, command string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ps", "-o", "pid=,args=", "--ppid", strconv.Itoa(os.Getpid())).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[2] != command || !strings.Contains(line, filepath.Clean(c.dir)) {
			continue
		}
		pid, err := strconv.Atoi(fields[0])
		if err == nil {
			err = syscall.Kill(pid, syscall.SIGKILL)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no %s runs:\n%s", command, out)
}
