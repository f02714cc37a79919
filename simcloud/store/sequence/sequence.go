// Package sequence has rising sets of sequence numbers, which are walked number
// by number: what of several sets is in all or in any, and what is not in one.
package sequence

import (
	"maps"
	"slices"
)

// Set is a rising set of sequence numbers.
type Set interface {
	// Seek returns the first number of the set that is not below from. From
	// call to call from does not fall.
	Seek(from uint64) (uint64, bool)
}

// Union is the set of what is in any of its parts.
type Union []Set

// Seek is that of a [Set].
func (u Union) Seek(from uint64) (least uint64, found bool) {
	for _, part := range u {
		if n, ok := part.Seek(from); ok && (!found || n < least) {
			least, found = n, true
		}
	}
	return least, found
}

// Intersection is the set of what is in all of its parts, of which it has at least one.
type Intersection []Set

// Seek is that of a [Set].
func (s Intersection) Seek(from uint64) (uint64, bool) {
	for agreed := 0; agreed < len(s); {
		agreed = 0
		for _, part := range s {
			n, ok := part.Seek(from)
			if !ok {
				return 0, false
			}
			if n == from {
				agreed++
			}
			from = n
		}
	}
	return from, true
}

// Without is a set without the numbers that are keys of a map.
type Without[T any] struct {
	Of   Set
	Left map[uint64]T
}

// Seek is that of a [Set].
func (w Without[T]) Seek(from uint64) (uint64, bool) {
	for {
		n, ok := w.Of.Seek(from)
		if _, left := w.Left[n]; !ok || !left {
			return n, ok
		}
		from = n + 1
	}
}

// listed is a set of given numbers.
type listed struct{ rest []uint64 }

// Keys returns the set of the numbers that are keys of a map.
func Keys[T any](of map[uint64]T) Set { return &listed{slices.Sorted(maps.Keys(of))} }

// Seek is that of a [Set].
func (l *listed) Seek(from uint64) (uint64, bool) {
	at, _ := slices.BinarySearch(l.rest, from)
	l.rest = l.rest[at:]
	if len(l.rest) == 0 {
		return 0, false
	}
	return l.rest[0], true
}
