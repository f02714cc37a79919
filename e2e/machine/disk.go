package machine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// noteDisk notes whose disk the machine of a name has from now on.
func (m *Set) noteDisk(name string, instance simcloud.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.disks[name] = instance
}

// hasDisk reports whether the disk of a machine is an instance's.
func (m *Set) hasDisk(name string, instance simcloud.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	owner, ok := m.disks[name]
	return ok && instance != "" && owner == instance
}

// forgetDisk forgets the disk of a machine.
func (m *Set) forgetDisk(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.disks, name)
}

// discard throws the machine's disk away, if it is that of the instance. What
// runs on it ends first.
func (w *worker) discard(instance simcloud.ID) error {
	if !w.machines.hasDisk(w.name, instance) {
		return nil
	}
	if err := w.powerOff(); err != nil {
		return err
	}
	return w.machines.discardDisk(w.ctx, w.name)
}

func (m *Set) discardDisk(ctx context.Context, name string) error {
	if m.discard != nil {
		if err := m.discard(ctx, name); err != nil {
			return fmt.Errorf("discard the disk of %s: %w", name, err)
		}
	}
	m.forgetDisk(name)
	return nil
}

// discardAll throws all disks away, at once. No machine may run.
func (m *Set) discardAll(ctx context.Context) error {
	m.mu.Lock()
	var names []string
	for name := range m.disks {
		names = append(names, name)
	}
	m.mu.Unlock()
	errs := make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { errs[i] = m.discardDisk(ctx, name) })
	}
	all.Wait()
	return errors.Join(errs...)
}
