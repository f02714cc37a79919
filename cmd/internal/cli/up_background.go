package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"syscall"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// upInBackground starts this program once more in a session of its own, where
// neither Ctrl-C nor the end of the terminal reaches it, shows its progress,
// and returns when the sandbox is ready. What it writes later is in its log.
func upInBackground(ctx context.Context, out output.Streams, o upOptions) error {
	s, err := sandbox.Open(o.name)
	if err != nil {
		return err
	}
	log, err := prepareBackground(s)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	child, err := startBackground(log)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()

	show := &follower{file: log}
	err = sandbox.Poll(ctx, func() (bool, error) {
		if err := show.copy(out.Err); err != nil {
			return false, err
		}
		select {
		case err := <-ended:
			return false, errors.Join(show.copy(out.Err), backgroundFailed(err))
		default:
		}
		state, err := s.ReadState()
		return err == nil && state.Phase == sandbox.PhaseReady && state.PID == child.Process.Pid, nil
	})
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), child.Process.Signal(syscall.SIGTERM), <-ended)
	}
	if err != nil {
		return err
	}
	return summarize(s, show, out)
}

func summarize(s sandbox.Folder, show *follower, out output.Streams) error {
	state, err := s.ReadState()
	if err != nil {
		return err
	}
	if err := show.copy(out.Err); err != nil {
		return err
	}
	printSummary(out.Out, state)
	return nil
}

// prepareBackground makes an empty folder, and in it the log of the process to come.
func prepareBackground(s sandbox.Folder) (*os.File, error) {
	lock, err := claimSandbox(s, true)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Release() }() // the process to come takes it
	if err := os.MkdirAll(s.Path("logs"), 0o700); err != nil {
		return nil, exit.Environment(err)
	}
	log, err := os.OpenFile(s.Path("logs", "up.log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, exit.Environment(err)
	}
	return log, nil
}

func startBackground(log *os.File) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, exit.Environment(err)
	}
	child := exec.Command(self, os.Args[1:]...) //nolint:noctx // it outlives this process
	child.Env = append(os.Environ(), envBackground+"=true")
	child.Stdout, child.Stderr = log, log
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		return nil, exit.Environment(fmt.Errorf("start the sandbox in the background: %w", err))
	}
	return child, nil
}

// backgroundFailed is the error for a process that ended before it was ready.
// Its own message was shown; its exit code becomes ours.
func backgroundFailed(err error) error {
	code := exit.CodeEnvironment
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() > 0 {
		code = ended.ExitCode()
	}
	return &exit.Error{Code: code, Err: errors.New("the sandbox did not start")}
}

// follower copies a file that grows.
type follower struct {
	path   string
	file   *os.File // when it is open: it may be removed meanwhile
	offset int64
}

// copy writes what was added since the last time.
func (f *follower) copy(to io.Writer) error {
	file := f.file
	if file == nil {
		opened, err := os.Open(f.path)
		if err != nil {
			return err
		}
		defer func() { _ = opened.Close() }()
		file = opened
	}
	// Not by its own position, which whoever writes to it may share.
	n, err := io.Copy(to, io.NewSectionReader(file, f.offset, math.MaxInt64-f.offset))
	f.offset += n
	return err
}
