//go:build linux

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// terminal is what a program with a terminal has written.
type terminal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *terminal) has(text string) bool { return strings.Contains(s.all(), text) }

func (s *terminal) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// openTerminal opens a terminal of some size: its end for a program, and what comes out at the other end.
func openTerminal(t *testing.T, rows, columns uint16) (*os.File, *terminal) {
	t.Helper()
	outer, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("there is no terminal to be had: %v", err)
	}
	t.Cleanup(func() { _ = outer.Close() })
	if err := unix.IoctlSetPointerInt(int(outer.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(outer.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	inner, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inner.Close() })
	if err := unix.IoctlSetWinsize(int(outer.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		t.Fatal(err)
	}
	seen := &terminal{}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := outer.Read(buffer)
			seen.mu.Lock()
			seen.text.Write(buffer[:n])
			seen.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return inner, seen
}

// TestTopOnATerminal: what happens in the cloud comes to the screen, which is given back at the end.
func TestTopOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	cloud, err := startServe(dir, os.Environ(), []string{"--ephemeral", "--token-file", token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cloud.end(syscall.SIGTERM) })
	env := append(os.Environ(), "SIMCLOUD_ENDPOINT="+cloud.url(), "SIMCLOUD_TOKEN_FILE="+token)
	inner, seen := openTerminal(t, 30, 70)
	top := exec.CommandContext(t.Context(), "simcloud", "top")
	top.Env, top.Stdin, top.Stdout, top.Stderr = env, inner, inner, inner
	if err := top.Start(); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the zones", func() bool { return seen.has("zone-a") })
	if seen.has("1 running") {
		t.Error("there is a machine already")
	}
	create := exec.CommandContext(t.Context(), "simcloud", "instance", "create", "web-1", "--zone", "zone-a", "--wait")
	create.Env = env
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	waittest.For(t, "the machine", func() bool { return seen.has("1 running") && seen.has("CreateInstance") })
	if err := top.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := top.Wait(); err != nil {
		t.Errorf("top ended with %v", err)
	}
	waittest.For(t, "the screen to be given back", func() bool { return seen.has("\x1b[?1049l") })
	for line := range strings.SplitSeq(strings.NewReplacer("\x1b[H", "\n", "\x1b[K", "", "\x1b[J", "", "\r", "").Replace(seen.all()), "\n") {
		if plain := strings.TrimPrefix(line, "\x1b[?1049h\x1b[?25l"); len([]rune(plain)) > 70 && !strings.Contains(plain, "\x1b") {
			t.Errorf("a line is wider than the screen: %q", line)
		}
	}
}
