package gobuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lock takes the lock of this file, which the kernel frees when its holder is
// gone. It calls waiting once when another process has it.
func lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for first := true; ; first = false {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
		}
		if first {
			waiting()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("wait for the lock %s: %w", path, context.Cause(ctx)), f.Close())
		}
	}
}
