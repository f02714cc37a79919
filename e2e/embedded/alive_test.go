package embedded_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// loseControllerManager kills a part of the control plane, and returns what is reported then.
func (c *cluster) loseControllerManager(t *testing.T) (says string) {
	t.Helper()
	c.kill(t, "kube-controller-manager")
	return "ended by itself: kube-controller-manager: signal: killed"
}

// kill kills a part of the control plane, which is a child of this process, as the kernel does when memory is short.
func (c *cluster) kill(t *testing.T, command string) {
	t.Helper()
	out := children(t)
	for line := range strings.Lines(out) {
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

// wantNoProcess complains of what still runs of the cluster.
func (c *cluster) wantNoProcess(t *testing.T) {
	t.Helper()
	for line := range strings.Lines(children(t)) {
		if strings.Contains(line, filepath.Clean(c.dir)) {
			t.Errorf("it still runs: %s", line)
		}
	}
}

// children lists the child processes of this one: an id and the arguments a line.
func children(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ps", "-o", "pid=,args=", "--ppid", strconv.Itoa(os.Getpid())).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
