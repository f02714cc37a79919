package cloud

import "syscall"

// endsWithParent is how the kernel kills a process when the one that has
// started it ends, however that ends.
func endsWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
