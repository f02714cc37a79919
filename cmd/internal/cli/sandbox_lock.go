package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// sandboxLock is held by the process that runs a sandbox, for as long as it
// lives: the kernel lets go of it whatever way the process ends. So a sandbox
// runs exactly while somebody holds its lock, whatever its state file says
// and whoever has its pid now.
type sandboxLock struct {
	file *os.File
	pid  *os.File // nil while the holder is not signed
}

// lock takes the lock. It answers errSandboxRuns when another process has it.
func (s sandbox) lock() (*sandboxLock, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, environmentError(fmt.Errorf("make the sandbox's folder: %w", err))
	}
	for {
		file, err := os.OpenFile(s.path("lock"), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, environmentError(fmt.Errorf("lock the sandbox: %w", err))
		}
		if err := s.take(file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		// Somebody may have removed the folder between the two: then this is a lock that nobody sees.
		if sameFile(file, s.path("lock")) {
			return &sandboxLock{file: file}, nil
		}
		if err := errors.Join(file.Close(), os.MkdirAll(s.dir, 0o700)); err != nil {
			return nil, environmentError(err)
		}
	}
}

// askPatience is how long somebody may have the lock and not sign. Who runs a
// sandbox signs; who only asks whether somebody does lets go at once.
const askPatience = 2 * time.Second

// take locks the file, unless somebody holds the lock.
func (s sandbox) take(file *os.File) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), askPatience, errSandboxRuns)
	defer cancel()
	return poll(ctx, func() (bool, error) {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return false, environmentError(fmt.Errorf("lock the sandbox: %w", err))
		}
		if _, signed := s.holder(); signed {
			return false, errSandboxRuns
		}
		return false, nil
	})
}

// errSandboxRuns is why a lock cannot be had.
var errSandboxRuns = errors.New("the sandbox runs")

func sameFile(file *os.File, path string) bool {
	open, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(open, named)
}

// release gives the lock back, and takes away the pid of its holder.
func (l *sandboxLock) release() error {
	if l.pid == nil {
		return l.file.Close()
	}
	return errors.Join(l.pid.Close(), l.file.Close())
}

// sign says which process holds the lock. The pid is written before its file
// is locked: so a locked one never has the pid of a process that crashed.
func (l *sandboxLock) sign(s sandbox, pid int) error {
	file, err := os.OpenFile(s.path("pid"), os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	if err != nil {
		return environmentError(fmt.Errorf("lock the sandbox: %w", err))
	}
	_, err = fmt.Fprintln(file, pid)
	if err == nil {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		return environmentError(fmt.Errorf("lock the sandbox: %w", errors.Join(err, file.Close())))
	}
	l.pid = file
	return nil
}

// holder returns the process that runs the sandbox, and whether it has said so.
func (s sandbox) holder() (pid int, signed bool) {
	file, err := os.Open(s.path("pid"))
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

// running reports whether a process holds the lock.
func (s sandbox) running() bool {
	file, err := os.OpenFile(s.path("lock"), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
