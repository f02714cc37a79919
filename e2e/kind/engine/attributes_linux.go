package engine

import "syscall"

// attributes keep the terminal's signals from the command, and end it with this process.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
