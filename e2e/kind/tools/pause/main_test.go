package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestPause reaps an orphan, and ends without a failure when it is told to.
func TestPause(t *testing.T) {
	program, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	ended := make(chan int)
	go func() { ended <- wait() }()

	child, err := syscall.ForkExec(program, []string{"true"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.After(30 * time.Second)
	for tick := time.NewTicker(10 * time.Millisecond); syscall.Kill(child, 0) == nil; {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the child that ended is still there")
		}
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-ended:
		if code != 0 {
			t.Errorf("exit code %d, want 0", code)
		}
	case <-deadline:
		t.Fatal("it did not end")
	}
}
