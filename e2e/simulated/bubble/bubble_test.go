package bubble_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/simulated/bubble"
)

// TestRun: hours pass at once, and the error of the function is returned.
func TestRun(t *testing.T) {
	t.Parallel()
	wrong, begun := errors.New("wrong"), time.Now()
	err := bubble.Run(t.Context(), t, func(context.Context) error {
		time.Sleep(time.Hour)
		return wrong
	})
	if !errors.Is(err, wrong) || time.Since(begun) > time.Minute {
		t.Errorf("%v after %s", err, time.Since(begun))
	}
}

// TestPanics: a panic is an error, and the bubble can end.
func TestPanics(t *testing.T) {
	t.Parallel()
	err := bubble.Run(t.Context(), t, func(context.Context) error { panic("lost") })
	if err == nil || !strings.Contains(err.Error(), "panic: lost") || !strings.Contains(err.Error(), "TestPanics") {
		t.Errorf("the error is %v, want it to have the panic and its stack", err)
	}
}

// TestCancelled: the end of the context outside ends that inside.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("over")
	err := bubble.Run(ctx, nil, func(ctx context.Context) error {
		cancel(over)
		<-ctx.Done()
		return context.Cause(ctx)
	})
	if !errors.Is(err, over) {
		t.Errorf("%v, want %v", err, over)
	}
}

// TestLeak: a goroutine that waits for ever is named.
func TestLeak(t *testing.T) {
	t.Parallel()
	err := bubble.Run(t.Context(), t, func(context.Context) error {
		go waitsForEver()
		return nil
	})
	leak := (*bubble.LeakError)(nil)
	if !errors.As(err, &leak) || !strings.Contains(err.Error(), "waitsForEver") {
		t.Errorf("the error is %v, want it to name the goroutine", err)
	}
}

func waitsForEver() { <-make(chan int) }

// TestGiveUp: goroutines that were given up may be left, and no more than those.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	bubble.GiveUp(1) // outside of all bubbles this is of no account
	for goroutines, leaks := range map[int]bool{2: false, 3: true} {
		err := bubble.Run(t.Context(), t, func(context.Context) error {
			for range goroutines {
				go waitsForEver()
			}
			bubble.GiveUp(1)
			bubble.GiveUp(1)
			return nil
		})
		leak := (*bubble.LeakError)(nil)
		if errors.As(err, &leak) != leaks || !leaks && err != nil {
			t.Errorf("%d goroutines are left: %v", goroutines, err)
		}
	}
}

// TestLockOverWait: a lock that is held over a wait is reported with the stacks of both goroutines.
func TestLockOverWait(t *testing.T) {
	t.Parallel()
	err := bubble.Run(t.Context(), t, func(context.Context) error {
		var lock sync.Mutex
		held := make(chan struct{})
		go holdsLock(&lock, held)
		<-held
		wantsLock(&lock)
		return nil
	})
	stuck := (*bubble.StuckError)(nil)
	if !errors.As(err, &stuck) {
		t.Fatalf("the error is %v", err)
	}
	for _, want := range []string{"holds a lock while it waits", "wantsLock", "holdsLock"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %q: %v", want, err)
		}
	}
}

func holdsLock(lock *sync.Mutex, held chan<- struct{}) {
	lock.Lock()
	defer lock.Unlock()
	close(held)
	time.Sleep(time.Second)
}

func wantsLock(lock *sync.Mutex) {
	lock.Lock()
	defer lock.Unlock()
}

// TestSocket: a wait for the system's network is reported as such.
func TestSocket(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	err = bubble.Run(t.Context(), t, func(context.Context) error {
		_, err := listener.Accept()
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "uses a socket") {
		t.Errorf("the error is %v", err)
	}
}

// TestBusy: work that takes long in real time is not taken for a lock.
func TestBusy(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	if err := bubble.Run(t.Context(), t, func(context.Context) error {
		for real() < begun.UnixNano()+int64(4*time.Second) {
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
