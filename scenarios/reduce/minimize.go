package reduce

import "slices"

// Minimizer is delta debugging (ddmin): it looks for a short list that still shows a failure. It leaves out
// chunks of the list, then smaller ones, and at last single items.
type Minimizer[T any] struct {
	// Items is the shortest list so far.
	Items []T
	// Size is how many items to leave out at a time; 0 when nothing more can be.
	Size int
	// Repeat has single items tried until none of them can be left out. Without it, each is tried once.
	Repeat bool
	// at is where the next chunk begins.
	at int
	// tried is how many lists the last Next has returned.
	tried int
	// shorter reports whether chunks of this size were of use.
	shorter bool
}

// Next returns up to n lists to try, each without another chunk. It returns none when it has ended.
func (m *Minimizer[T]) Next(n int) (lists [][]T) {
	for m.Size > 0 && m.at >= len(m.Items) {
		m.smaller()
	}
	for at := m.at; m.Size > 0 && at < len(m.Items) && len(lists) < n; at += m.Size {
		lists = append(lists, m.without(at))
	}
	m.tried = len(lists)
	return lists
}

// Tell takes in which list of the last Next shows the failure, the first one if several do; -1 when none does.
func (m *Minimizer[T]) Tell(shows int) {
	if shows < 0 {
		m.at += m.tried * m.Size
		return
	}
	m.at += shows * m.Size
	m.Items = m.without(m.at)
	m.shorter = true
}

// without is the list without the chunk that begins at a place.
func (m *Minimizer[T]) without(at int) []T {
	return slices.Concat(m.Items[:at], m.Items[min(at+m.Size, len(m.Items)):])
}

// smaller goes on with fewer items at a time.
func (m *Minimizer[T]) smaller() {
	if m.Size > 1 || !m.shorter || !m.Repeat {
		m.Size /= 2
	}
	m.at, m.shorter = 0, false
}
