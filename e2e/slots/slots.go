// Package slots keeps the clusters of all test runs on a machine from taking
// each other's cores: each cluster holds a slot while it runs, and a machine has
// as many slots as its cores carry clusters.
package slots

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// EnvSlots is the environment variable that sets how many clusters of this user
// run on this machine at the same time; 0 is no limit. Without it there is one slot a core.
const EnvSlots = "SIMCLOUD_SLOTS"

// retry is how often a taken slot is tried again. The kernel tells no one when a lock is free.
const retry = 100 * time.Millisecond

// Machine is the slots of a machine.
type Machine struct {
	// Dir is the folder with a lock file for each slot. All processes that share
	// slots use the same one.
	Dir string
	// Slots is how many clusters may run at the same time; 0 is no limit.
	Slots int
}

// Here returns the slots of this machine for this user. It fails with Invalid
// when EnvSlots is not a number from 0.
func Here() (Machine, error) {
	// Not os.TempDir: runs with another TMPDIR share the same cores.
	m := Machine{Dir: filepath.Join("/tmp", fmt.Sprintf("simcloud-slots-%d", os.Getuid())), Slots: runtime.NumCPU()}
	text := os.Getenv(EnvSlots)
	if text == "" {
		return m, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return m, simcloud.Errorf(simcloud.Invalid, "", "invalid %s %q: must be a number of clusters, or 0 for no limit", EnvSlots, text)
	}
	m.Slots = n
	return m, nil
}

// Taking returns a function that takes a slot of this machine, as e2e.Config.Slot wants
// it: see [Machine.Take].
func Taking(waiting func(line string)) func(context.Context) (free func(), err error) {
	return func(ctx context.Context) (func(), error) {
		m, err := Here()
		if err != nil {
			return nil, err
		}
		return m.Take(ctx, waiting)
	}
}

// Take waits for a free slot and takes it. The returned function frees it, once;
// so does the end of the process, however it ends. When all slots are taken,
// waiting is called once with a line for people. Take fails when ctx ends first, and
// when Dir cannot be written.
func (m Machine) Take(ctx context.Context, waiting func(line string)) (free func(), err error) {
	if m.Slots == 0 {
		return func() {}, nil
	}
	if err := os.MkdirAll(m.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("take a slot for a cluster: %w", err)
	}
	tick := time.NewTicker(retry)
	defer tick.Stop()
	for first := true; ; first = false {
		free, err := m.try()
		if free != nil || err != nil {
			return free, err
		}
		if first {
			waiting(fmt.Sprintf("waiting for a free slot: %d of %d clusters run on this machine (%s)", m.Slots, m.Slots, EnvSlots))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for one of the %d slots for clusters in %s: %w", m.Slots, m.Dir, context.Cause(ctx))
		}
	}
}

// try takes the first slot that is free; nil when none is.
func (m Machine) try() (free func(), err error) {
	for i := range m.Slots {
		f, err := os.OpenFile(filepath.Join(m.Dir, fmt.Sprintf("slot-%d", i+1)), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("take a slot for a cluster: %w", err)
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		_ = f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
	}
	return nil, nil //nolint:nilnil // none is free, which is no error
}
