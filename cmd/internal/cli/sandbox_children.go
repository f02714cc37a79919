package cli

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

// envSandboxDir marks the processes of a sandbox: all that up starts inherit it.
const envSandboxDir = "SIMCLOUD_SANDBOX_DIR"

// markChildren marks the processes that this one starts from now on.
func (s sandbox) markChildren() error { return os.Setenv(envSandboxDir, s.dir) }

// awaitChildren waits until the processes that up started are gone: those of
// one that was killed go a moment after it.
func (s sandbox) awaitChildren(ctx context.Context) error {
	var left []int
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, errChildrenLive)
	defer cancel()
	err := poll(ctx, func() (bool, error) {
		left = s.children()
		return len(left) == 0, nil
	})
	if errors.Is(err, errChildrenLive) {
		return fmt.Errorf("%w: %v", err, left)
	}
	return err
}

var errChildrenLive = errors.New("processes that it started do not end")

// seesChildren reports whether children finds those that there are.
func seesChildren() bool {
	_, err := os.Stat("/proc/self/environ")
	return err == nil
}

// children returns the processes that have the mark of the sandbox. Where there
// is no /proc it finds none.
func (s sandbox) children() []int {
	mark := []byte(envSandboxDir + "=" + s.dir)
	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil || !hasVariable(raw, mark) {
			continue // of somebody else, or gone
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// hasVariable reports whether an environment, as /proc has it, contains NAME=VALUE.
func hasVariable(environ, variable []byte) bool {
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if bytes.Equal(entry, variable) {
			return true
		}
	}
	return false
}
