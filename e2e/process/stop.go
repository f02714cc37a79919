package process

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// Stop sends SIGTERM to the process's group, and SIGKILL when it is not gone
// after the stop time-out or when ctx ends. It returns when the process is
// gone; the error says that it had to be killed.
func (p *Process) Stop(ctx context.Context) error {
	p.stopping.Store(true)
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := p.signal(syscall.SIGCONT); err != nil { // a paused process would not see the SIGTERM
		return err
	}
	timeout := time.NewTimer(p.spec.StopTimeout)
	defer timeout.Stop()
	select {
	case <-p.done:
		return nil
	case <-timeout.C:
		return p.killAfter(fmt.Errorf("%s did not end within %s of SIGTERM and was killed", p.spec.Name, p.spec.StopTimeout))
	case <-ctx.Done():
		return p.killAfter(fmt.Errorf("%s was killed: %w", p.spec.Name, context.Cause(ctx)))
	}
}

// Kill sends SIGKILL to the process's group and returns when it is gone.
func (p *Process) Kill() error { return p.killAfter(nil) }

func (p *Process) killAfter(reason error) error {
	p.stopping.Store(true)
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return reason
}

// Pause suspends the process and its group, which notice nothing of it.
func (p *Process) Pause() error { return p.signal(syscall.SIGSTOP) }

// Resume lets a paused process go on.
func (p *Process) Resume() error { return p.signal(syscall.SIGCONT) }
