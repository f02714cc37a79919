package cli

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// TestASecondInterruptEndsAtOnce interrupts a process that does not end after the first time.
func TestASecondInterruptEndsAtOnce(t *testing.T) {
	if os.Getenv("SIMCLOUD_TEST_HANGS") != "" {
		hangAfterInterrupt()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	defaultInterrupt(t)
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "SIMCLOUD_TEST_HANGS=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); { // one before each interrupt
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Wait() // it is killed, by what is asked next
	if status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGINT {
		t.Errorf("%v, want an end by the second interrupt", cmd.ProcessState)
	}
}

// TestAnEchoIsNoSecondInterrupt: a signal that comes twice at once, as timeout(1) sends it, does not end the process at once.
func TestAnEchoIsNoSecondInterrupt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		var reset atomic.Bool
		afterEcho(ctx, func() { reset.Store(true) })
		end()
		time.Sleep(echo - time.Millisecond)
		synctest.Wait()
		if reset.Load() {
			t.Error("the next signal ends the process at once")
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if !reset.Load() {
			t.Error("a signal that comes later does not end the process")
		}
	})
}

// defaultInterrupt starts processes with the usual effect of an interrupt, also where this one began
// with interrupts ignored, as what a script starts in the background does: what is caught is not ignored.
func defaultInterrupt(t *testing.T) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt)
	t.Cleanup(func() { signal.Stop(caught) })
}

func hangAfterInterrupt() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	defer endAtOnceWhenAskedAgain(ctx)()
	_, _ = os.Stdout.WriteString("runs\n")
	<-ctx.Done()
	for { // until the signal has its effect
		_, _ = os.Stdout.WriteString("hangs\n")
		time.Sleep(sandbox.PollPeriod)
	}
}
