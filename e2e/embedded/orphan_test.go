package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// The environment that makes the test binary run a cluster rather than the tests.
const (
	envParentDir  = "EMBEDDED_TEST_DIR"
	envParentKube = "EMBEDDED_TEST_KUBE"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envParentDir); dir != "" {
		os.Exit(parent(dir, os.Getenv(envParentKube)))
	}
	os.Exit(m.Run())
}

// parent runs a cluster with a node until it is killed.
func parent(dir, kube string) int {
	b, err := embedded.New(embedded.Config{Dir: dir, Kube: kube})
	if err == nil {
		_, err = b.Start(context.Background())
	}
	if err == nil {
		_, err = b.StartNode(context.Background(), machine.Spec{Name: "node-1"})
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("up")
	select {}
}

// TestParentKilled proves that a cluster is gone with its parent, however that
// ends, and that all of it listened on 127.0.0.1 only.
func TestParentKilled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	kube, dir := planetest.Kube(t), t.TempDir()
	planetest.Slot(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envParentDir+"="+dir, envParentKube+"="+kube)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	if lines.Scan(); lines.Text() != "up" {
		t.Fatalf("the parent says %q", lines.Text())
	}
	var pids []string
	// For a moment, a process that one of them starts has its arguments.
	waittest.For(t, "etcd, three processes of the control plane, and a kubelet", func(context.Context) error {
		if pids = processesOf(dir); len(pids) != 5 {
			return fmt.Errorf("there are %v", pids)
		}
		return nil
	})
	ports := listening(t, pids)
	if len(ports) != 6 {
		t.Errorf("ports %v, want two of etcd and one of each other process", ports)
	}

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	waittest.For(t, "end of the processes", func(context.Context) error {
		if pids := processesOf(dir); len(pids) > 0 {
			return fmt.Errorf("%v live", pids)
		}
		return nil
	})
	for _, port := range ports {
		waittest.For(t, "end of "+port, func(context.Context) error { // a process goes before its sockets do
			if conn, err := net.Dial("tcp", port); err == nil {
				return errors.Join(errors.New("a process listens"), conn.Close())
			}
			return nil
		})
	}
}

// processesOf finds the processes that have the folder in their arguments.
func processesOf(dir string) (pids []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), dir) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

// listening returns the addresses that the processes listen on, all of which have to be 127.0.0.1.
func listening(t *testing.T, pids []string) (addrs []string) {
	t.Helper()
	for _, pid := range pids {
		sockets := socketsOf(pid)
		for _, table := range []string{"tcp", "tcp6"} {
			data, err := os.ReadFile(filepath.Join("/proc", pid, "net", table))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(data)) {
				f := strings.Fields(line)
				if len(f) < 10 || f[3] != "0A" || !sockets["socket:["+f[9]+"]"] { // 0A: LISTEN
					continue
				}
				var port int
				if _, err := fmt.Sscanf(f[1], "0100007F:%X", &port); err != nil {
					t.Errorf("process %s listens on %s, which is not 127.0.0.1", pid, f[1])
				}
				addrs = append(addrs, fmt.Sprintf("127.0.0.1:%d", port))
			}
		}
	}
	return addrs
}

func socketsOf(pid string) map[string]bool {
	sockets := map[string]bool{}
	fds, _ := filepath.Glob(filepath.Join("/proc", pid, "fd", "*"))
	for _, fd := range fds {
		if target, err := os.Readlink(fd); err == nil {
			sockets[target] = true
		}
	}
	return sockets
}
