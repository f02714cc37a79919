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
	"github.com/simcloud-dev/simcloud/simcloud/owned"
)

// EnvSlots is the environment variable that sets how many clusters of this user
// run on this machine at the same time; 0 is no limit. Without it there are three slots a core.
const EnvSlots = "SIMCLOUD_SLOTS"

// slotsPerCore is how many clusters a core carries. A cluster waits for most of its life: with one on each
// core, cores are idle for 60 to 85 % of the time, and with two for 30 to 55 %.
const slotsPerCore = 3

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
	m := Machine{Dir: owned.Runtime("simcloud-slots"), Slots: slotsPerCore * runtime.NumCPU()}
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

// Parallel is how many clusters are worth running side by side: as many as there are slots.
func (m Machine) Parallel() int {
	if m.Slots == 0 {
		return slotsPerCore * runtime.NumCPU()
	}
	return m.Slots
}

// Wanted reports whether anyone waits for a slot of this machine: see [Machine.Wanted].
func Wanted() bool {
	m, err := Here()
	return err == nil && m.Wanted()
}

// Slot is a cluster's place on the machine. It is the end of the process that frees a slot, at the latest.
type Slot struct {
	place, start *lock
}

// Started tells that the cluster runs, or is not going to start by itself: another one may start.
func (s *Slot) Started() { s.start.free() }

// Free gives the slot back. A second Free has no effect.
func (s *Slot) Free() {
	s.start.free()
	s.place.free()
}

// Taking returns a function that takes a slot of this machine, for a cluster
// that tells when it has started: see [Machine.Take].
func Taking(waiting func(line string)) func(context.Context) (*Slot, error) {
	return func(ctx context.Context) (*Slot, error) {
		m, err := Here()
		if err != nil {
			return nil, err
		}
		return m.Take(ctx, waiting)
	}
}

// Take waits for a free slot and takes it, and then waits until no other
// cluster is starting: a start measures the machine, and must not measure
// another start. When all slots are taken, waiting is called once with a line for
// humans. Take fails when ctx ends first, and when Dir cannot be written.
func (m Machine) Take(ctx context.Context, waiting func(line string)) (*Slot, error) {
	if m.Slots == 0 {
		return &Slot{}, nil
	}
	if err := owned.Folder(m.Dir); err != nil {
		return nil, unusable(err)
	}
	place, err := m.awaitPlace(ctx, waiting)
	if err != nil {
		return nil, err
	}
	start, err := m.await(ctx, []string{"start"}, func() error { return nil })
	if err != nil {
		place.free()
		return nil, err
	}
	return &Slot{place, start}, nil
}

// unusable says what helps against a folder that cannot be used.
func unusable(err error) error {
	return fmt.Errorf("take a slot for a cluster (%s=0 takes none): %w", EnvSlots, err)
}

// wantedFile is locked by the first of those who wait for a slot. Who asks whether one waits shares it with others who ask.
const wantedFile = "wanted"

// awaitPlace locks the file of a free slot. While there is none, others can see that one is wanted.
func (m Machine) awaitPlace(ctx context.Context, waiting func(line string)) (*lock, error) {
	var wanted *lock
	defer func() { wanted.free() }()
	told := false
	return m.await(ctx, m.places(), func() (err error) {
		if wanted == nil { // another one may have waited for longer, and may wait no more
			if wanted, err = m.try([]string{wantedFile}); err != nil {
				return err
			}
		}
		if !told {
			told = true
			waiting(fmt.Sprintf("waiting for a free slot: %d of %d clusters run on this machine (%s)", m.Slots, m.Slots, EnvSlots))
		}
		return nil
	})
}

// Wanted reports whether anyone waits for a slot. Who has a cluster that does nothing should end it then: those who
// wait may have such clusters too, and none would ever go on.
func (m Machine) Wanted() bool {
	if m.Slots == 0 || !owned.IsFolder(m.Dir) { // another user's folder tells nothing
		return false
	}
	l, err := m.lock(wantedFile, syscall.LOCK_SH|syscall.LOCK_NB)
	l.free()
	return errors.Is(err, syscall.EWOULDBLOCK)
}

// places are the names of the lock files of all slots.
func (m Machine) places() (names []string) {
	for i := range m.Slots {
		names = append(names, fmt.Sprintf("slot-%d", i+1))
	}
	return names
}

// await locks the first of these files that is free. When none is, it calls waiting and tries again, for as long as
// that returns no error.
func (m Machine) await(ctx context.Context, names []string, waiting func() error) (*lock, error) {
	tick := time.NewTicker(retry)
	defer tick.Stop()
	for {
		l, err := m.try(names)
		if l == nil && err == nil {
			err = waiting()
		}
		if l != nil || err != nil {
			return l, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for one of the %d slots for clusters in %s: %w", m.Slots, m.Dir, context.Cause(ctx))
		}
	}
}

// try locks the first of these files that is free; nil when none is.
func (m Machine) try(names []string) (*lock, error) {
	for _, name := range names {
		l, err := m.lock(name, syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return l, err
		}
	}
	return nil, nil //nolint:nilnil // none is free, which is no error
}

// lock locks a file in one of the ways of flock(2).
func (m Machine) lock(name string, how int) (*lock, error) {
	f, err := owned.Open(filepath.Join(m.Dir, name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, unusable(err)
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		_ = f.Close() // the error that matters is why it could not be locked
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return &lock{f}, nil
}

// lock is a lock of a file, which the kernel frees when the file is closed. A nil lock locks nothing.
type lock struct{ file *os.File }

func (l *lock) free() {
	if l != nil {
		// Closing alone would not do: a child that this process starts just now has the file too, until it runs its program.
		_ = syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
		_ = l.file.Close() // a second time has no effect
	}
}
