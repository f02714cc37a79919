package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// Lock is held by the process that runs a sandbox, for as long as it
// lives: the kernel releases it however the process ends. So a sandbox
// runs exactly while a process holds its lock, whatever its state file says
// and whoever has its pid now.
type Lock struct {
	file *os.File
	pid  *os.File // nil while the holder is not signed
}

// Lock takes the lock. It answers errSandboxRuns when another process has it.
func (s Folder) Lock() (*Lock, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, exit.Environment(fmt.Errorf("make the sandbox's folder: %w", err))
	}
	for {
		file, err := os.OpenFile(s.Path("lock"), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, exit.Environment(fmt.Errorf("lock the sandbox: %w", err))
		}
		if err := s.take(file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		// Another process may have removed the folder between the two: then no other process sees this lock.
		if sameFile(file, s.Path("lock")) {
			return &Lock{file: file}, nil
		}
		if err := errors.Join(file.Close(), os.MkdirAll(s.Dir, 0o700)); err != nil {
			return nil, exit.Environment(err)
		}
	}
}

// askPatience is how long a process may have the lock and not sign. Who runs a
// sandbox signs; who only asks for the holder releases it at once.
const askPatience = 2 * time.Second

// take locks the file, unless another process holds the lock.
func (s Folder) take(file *os.File) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), askPatience, ErrRuns)
	defer cancel()
	return Poll(ctx, func() (bool, error) {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return false, exit.Environment(fmt.Errorf("lock the sandbox: %w", err))
		}
		if _, signed := s.Holder(); signed {
			return false, ErrRuns
		}
		return false, nil
	})
}

// ErrRuns is why a lock cannot be had.
var ErrRuns = errors.New("the sandbox runs")

func sameFile(file *os.File, path string) bool {
	open, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(open, named)
}

// Release gives the lock back, and takes away the pid of its holder.
func (l *Lock) Release() error {
	if l.pid == nil {
		return l.file.Close()
	}
	return errors.Join(l.pid.Close(), l.file.Close())
}

// Sign says which process holds the lock. The pid is written before its file
// is locked: so a locked one never has the pid of a process that crashed.
func (l *Lock) Sign(s Folder, pid int) error {
	file, err := os.OpenFile(s.Path("pid"), os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	if err != nil {
		return exit.Environment(fmt.Errorf("lock the sandbox: %w", err))
	}
	_, err = fmt.Fprintln(file, pid)
	if err == nil {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		return exit.Environment(fmt.Errorf("lock the sandbox: %w", errors.Join(err, file.Close())))
	}
	l.pid = file
	return nil
}

// Holder returns the process that runs the sandbox, and whether it has signed.
func (s Folder) Holder() (pid int, signed bool) {
	file, err := os.Open(s.Path("pid"))
	if err != nil {
		return 0, false
	}
	defer func() { _ = file.Close() }()
	if syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil {
		return 0, false
	}
	_, err = fmt.Fscanln(file, &pid)
	return pid, err == nil && pid > 0
}

// Running reports whether a process holds the lock.
func (s Folder) Running() bool {
	file, err := os.OpenFile(s.Path("lock"), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
