// Package process runs child processes that never outlive their parent.
//
// Each child leads a process group of its own, so that what it starts ends
// with it. When the parent ends in whatever way, even by SIGKILL, the kernel
// kills the child (Linux), and a guardian process kills its whole group.
package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// The time-outs of a Spec that does not say.
const (
	DefaultStartTimeout = 3 * time.Minute
	DefaultStopTimeout  = 10 * time.Second
)

// Spec describes a process.
type Spec struct {
	Name string // for messages
	Path string
	Args []string // without the name of the program
	// Env is added to this process's environment.
	Env []string
	Dir string
	// LogFile gets what the process writes, appended. Without one it is lost.
	LogFile string
	// Ready answers nil when the process does its work. It is asked until then. Nil: ready at once.
	Ready func(context.Context) error
	// StartTimeout bounds the time until Ready answers nil, StopTimeout the
	// time between SIGTERM and SIGKILL.
	StartTimeout, StopTimeout time.Duration
}

// Process is a running, or ended, child process. Its methods may be called at any time.
type Process struct {
	spec     Spec
	log      *logFile
	pid      int
	done     chan struct{}
	stopping atomic.Bool // Stop or Kill was called
	status   error       // what waiting for it gave; read after done
	err      error       // how it ended by itself; read after done
}

// Start starts a process and returns when it is ready. An error means that
// nothing runs, and holds the last lines of the log. The end of ctx ends the
// waiting, not a process that is ready.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	p, err := launch(withDefaults(spec))
	if err != nil {
		return nil, simcloud.Errorf(simcloud.Unavailable, "process/"+spec.Name, "start %s: %w", spec.Path, err)
	}
	if err := p.awaitReady(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

func withDefaults(s Spec) Spec {
	if s.Name == "" {
		s.Name = s.Path
	}
	if s.StartTimeout <= 0 {
		s.StartTimeout = DefaultStartTimeout
	}
	if s.StopTimeout <= 0 {
		s.StopTimeout = DefaultStopTimeout
	}
	return s
}

// launch starts the process and the goroutine that waits for its end.
func launch(spec Spec) (*Process, error) {
	guard, err := guardian()
	if err != nil {
		return nil, err
	}
	log, err := openLog(spec.LogFile)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(spec.Path, spec.Args...) //nolint:noctx // it lives until Stop, not as long as a context
	cmd.Dir = spec.Dir
	cmd.Env = append(os.Environ(), spec.Env...)
	cmd.Stdout, cmd.Stderr = log.writer(), log.writer()
	cmd.SysProcAttr = attributes()

	p := &Process{spec: spec, log: log, done: make(chan struct{})}
	started := make(chan error)
	go p.run(cmd, guard, started)
	return p, <-started
}

// PID is the process's id, and that of its group.
func (p *Process) PID() int { return p.pid }

// Done is closed when the process has ended and all that is left of its group was sent SIGKILL.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the process ended by itself, with whatever status. It is nil
// while the process runs and when Stop or Kill ended it.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// LogTail returns the last lines, at most n, that this process wrote.
func (p *Process) LogTail(n int) []string { return p.log.tail(n) }

// ended keeps how the process ended, unless that was wanted.
func (p *Process) ended(err error) {
	p.status = err
	switch {
	case p.stopping.Load():
	case err == nil:
		p.err = fmt.Errorf("%s exited by itself", p.spec.Name)
	default:
		p.err = fmt.Errorf("%s: %w", p.spec.Name, err)
	}
	close(p.done)
}

// signal sends sig to the whole group. A group that is gone is no error.
func (p *Process) signal(sig syscall.Signal) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	if err := syscall.Kill(-p.pid, sig); err != nil && err != syscall.ESRCH { //nolint:errorlint // a bare errno
		return fmt.Errorf("send %s to %s: %w", sig, p.spec.Name, err)
	}
	return nil
}

// run starts the command, reports that, and waits for its end. It keeps its OS
// thread until then: the kernel sends the parent-death signal when the
// thread that started the child ends, not when the whole parent does.
func (p *Process) run(cmd *exec.Cmd, guard *guard, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer p.log.close()

	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	p.pid = cmd.Process.Pid
	if err := guard.watch(p.pid); err != nil {
		p.killGroup()
		_ = cmd.Wait()
		started <- err
		return
	}
	started <- nil

	err := cmd.Wait()
	p.killGroup() // what it left behind
	guard.forget(p.pid)
	p.ended(err)
}

func (p *Process) killGroup() { _ = syscall.Kill(-p.pid, syscall.SIGKILL) }

// Run runs a process to its end, rather than until it is ready. It returns nil
// when the process exits with status 0; otherwise the error holds the last
// lines of the log. When ctx ends, the process is killed.
func Run(ctx context.Context, spec Spec) error {
	spec.Ready = nil
	p, err := Start(ctx, spec)
	if err != nil {
		return err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		if err := p.Kill(); err != nil {
			return err
		}
		return fmt.Errorf("%s: %w", p.spec.Name, context.Cause(ctx))
	}
	if p.status == nil {
		return nil
	}
	return p.failure("failed", p.status)
}
