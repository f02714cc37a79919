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

// testAlive: a control plane lives through what it is asked to do, and tells
// which part of it has ended by itself. It is the last thing that is done to one.
func (c *cluster) testAlive(t *testing.T) {
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	c.kill(t, "kube-controller-manager")
	<-c.Done() // or the test's time is over
	if why := c.Err().Error(); !strings.Contains(why, "ended by itself: kube-controller-manager: signal: killed") {
		t.Error(why)
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
