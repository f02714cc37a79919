package output

import (
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// WithClock returns the stdout of a command with the clock by which ages count. It returns the zero time when the time
// is not known.
func WithClock(w io.Writer, clock func() time.Time) io.Writer {
	s := screenOf(w)
	s.clock = clock
	return s
}

// now is the time of the clock of what is written to; zero without a clock, or when no column needs it.
func (t Table[T]) now(w io.Writer) time.Time {
	clock := screenOf(w).clock
	if clock == nil || !slices.ContainsFunc(t, func(c Column[T]) bool { return c.Since != nil }) {
		return time.Time{}
	}
	return clock()
}

// text is what a column shows of an item.
func (c Column[T]) text(item T, now time.Time) string {
	if c.Since == nil {
		return c.Value(item)
	}
	since := c.Since(item)
	if since.IsZero() || now.IsZero() {
		return ""
	}
	return duration.HumanDuration(max(0, now.Sub(since)))
}
