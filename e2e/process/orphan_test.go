package process_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// parentEnv makes the test binary be a parent of processes rather than run the tests.
const parentEnv = "PROCESS_TEST_PARENT"

func TestMain(m *testing.M) {
	if script := os.Getenv(parentEnv); script != "" {
		os.Exit(parent(script))
	}
	os.Exit(m.Run())
}

// parent starts two processes, says their groups, and waits until its input ends.
func parent(script string) int {
	for range 2 {
		p, err := process.Start(context.Background(), process.Spec{Path: "/bin/sh", Args: []string{"-c", script}})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(p.PID())
	}
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	return 0 // without Stop: a parent that forgets, or panics
}

// TestParentGone proves that no process of a group outlives the parent.
func TestParentGone(t *testing.T) {
	t.Parallel()
	const stubborn = "trap '' HUP INT TERM; (trap '' HUP INT TERM; while :; do sleep 1; done) & while :; do sleep 1; done"
	for name, end := range map[string]func(*exec.Cmd, func() error) error{
		"KILL": func(c *exec.Cmd, _ func() error) error { return c.Process.Kill() },
		"TERM": func(c *exec.Cmd, _ func() error) error { return c.Process.Signal(syscall.SIGTERM) },
		"INT to the whole group": func(c *exec.Cmd, _ func() error) error {
			return syscall.Kill(-c.Process.Pid, syscall.SIGINT)
		},
		"KILL to the whole group": func(c *exec.Cmd, _ func() error) error {
			return syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		},
		"exit": func(_ *exec.Cmd, hangUp func() error) error { return hangUp() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), parentEnv+"="+stubborn)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			groups, hangUp := startParent(t, cmd)
			for _, group := range groups {
				waittest.For(t, "both processes of a group", func() bool { return len(members(group)) >= 2 })
			}
			if err := end(cmd, hangUp); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			for _, group := range groups {
				waittest.For(t, "end of the group", func() bool { return !alive(group) })
			}
		})
	}
}

func startParent(t *testing.T, cmd *exec.Cmd) (groups []int, hangUp func() error) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for range 2 {
		lines.Scan()
		group, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("parent says %q", lines.Text())
		}
		groups = append(groups, group)
	}
	return groups, in.Close
}

// alive tells whether the group has a process that runs. One that ended and
// was not reaped, as happens where init does not, does not run.
func alive(group int) bool { return group != 0 && len(members(group)) > 0 }

// members are the processes of a group that run.
func members(group int) (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	if len(stats) == 0 { // not Linux
		if syscall.Kill(-group, 0) == nil {
			return []int{group, group}
		}
		return nil
	}
	for _, stat := range stats {
		if pid, fields := readStat(stat); len(fields) > 2 && fields[2] == strconv.Itoa(group) && fields[0] != "Z" && fields[0] != "X" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// state is the letter of a process's state.
func state(pid int) string {
	_, fields := readStat(fmt.Sprintf("/proc/%d/stat", pid))
	if len(fields) == 0 {
		return "T" // not Linux
	}
	return fields[0]
}

// readStat returns the pid, and the fields after the command: state, parent, group.
func readStat(path string) (pid int, fields []string) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, nil
	}
	before, after, _ := strings.Cut(string(data), ") ")
	_, _ = fmt.Sscan(before, &pid)
	return pid, strings.Fields(after)
}

func readPID(path string) (pid int) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	_, _ = fmt.Sscan(string(data), &pid)
	return pid
}
