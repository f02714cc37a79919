package machine

import (
	"context"
	"fmt"
)

// hold is what keeps a machine that is on from being heard.
type hold struct {
	frozen bool // it holds its place and does nothing
	cut    bool // it runs on, and no packet reaches it or leaves it
}

// holdOf returns what a power means for a machine that is on.
func holdOf(p power) hold { return hold{frozen: p == powerPaused, cut: p == powerCut} }

// hold holds the node as told, or lets it go. A node that cannot be cut off is frozen instead.
func (w *worker) hold(want hold) error {
	cuts := w.machines.cut != nil && !w.machine.Hollow
	freezes := func(h hold) bool { return h.frozen || h.cut && !cuts }
	var err error
	switch had := freezes(w.held); {
	case freezes(want) && !had:
		err = w.node.Freeze()
	case !freezes(want) && had:
		err = w.node.Thaw()
	}
	if err != nil {
		return fmt.Errorf("freeze or thaw %s: %w", w.name, err)
	}
	w.held.frozen = want.frozen
	switch {
	case cuts && want.cut && !w.held.cut:
		err = w.machines.cut(w.ctx, w.name)
	case cuts && !want.cut && w.held.cut:
		err = w.machines.join(w.ctx, w.name)
	}
	if err != nil {
		return fmt.Errorf("cut %s off or join it: %w", w.name, err)
	}
	w.held = want
	w.update(func(m *Status) { m.State = stateOf(freezes(want), want.cut) })
	return nil
}

func stateOf(frozen, cut bool) State {
	switch {
	case frozen:
		return Frozen
	case cut:
		return Partitioned
	default:
		return Running
	}
}

// Freeze suspends a machine: it holds its place and says nothing.
func (m *Set) Freeze(name string) error {
	return m.hold(name, "freeze", func(h *hold) { h.frozen = true })
}

// Thaw lets a frozen machine go on.
func (m *Set) Thaw(name string) error {
	return m.hold(name, "thaw", func(h *hold) { h.frozen = false })
}

// Partition cuts a machine off the network while it runs on. One that cannot be
// cut off, since it has no network of its own, is frozen.
func (m *Set) Partition(name string) error {
	return m.hold(name, "partition", func(h *hold) { h.cut = true })
}

// Heal brings a machine that was cut off back.
func (m *Set) Heal(name string) error {
	return m.hold(name, "heal", func(h *hold) { h.cut = false })
}

func (m *Set) hold(name, verb string, change func(*hold)) error {
	return m.ask(context.Background(), name, false, func(w *worker) error {
		if w.node == nil {
			return w.down(verb)
		}
		want := w.held
		change(&want)
		return w.hold(want)
	})
}
