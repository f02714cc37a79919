package process

import (
	"os/exec"
	"runtime"
	"syscall"
)

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
