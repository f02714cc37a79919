//go:build !linux

package cloud

import "syscall"

// endsWithParent does nothing: this system has no signal of a parent's end.
func endsWithParent() *syscall.SysProcAttr { return nil }
