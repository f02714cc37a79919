package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// EnvDir marks the processes of a sandbox: all that up starts inherit it.
const EnvDir = "SIMCLOUD_SANDBOX_DIR"

// MarkChildren marks the processes that this one starts from now on.
func (s Folder) MarkChildren() error { return os.Setenv(EnvDir, s.Dir) }

// AwaitChildren waits until the processes that up started are gone: those of
// one that was killed go a moment after it.
func (s Folder) AwaitChildren(ctx context.Context) error {
	var left []int
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, errChildrenLive)
	defer cancel()
	err := Poll(ctx, func() (bool, error) {
		left = s.Children()
		return len(left) == 0, nil
	})
	if errors.Is(err, errChildrenLive) {
		return fmt.Errorf("%w: %v", err, left)
	}
	return err
}

var errChildrenLive = errors.New("processes that it started do not end")

// SeesChildren reports whether children finds those that there are.
func SeesChildren() bool {
	_, err := os.Stat("/proc/self/environ")
	return err == nil
}

// Children returns the processes that have the mark of the sandbox. Where there
// is no /proc it finds none.
func (s Folder) Children() []int {
	mark := []byte(EnvDir + "=" + s.Dir)
	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is valid
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil || !HasVariable(raw, mark) {
			continue // of another user, or gone
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// HasVariable reports whether an environment, as /proc has it, contains NAME=VALUE.
func HasVariable(environ, variable []byte) bool {
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if bytes.Equal(entry, variable) {
			return true
		}
	}
	return false
}
