package step

import (
	"time"
)

// Patience is how long the oracles wait, or tolerate something, that takes d on
// a machine that is as fast as the one that the limits were measured on. What
// has an order, by revisions and numbers of calls, is not a matter of patience.
func (w World) Patience(d time.Duration) time.Duration {
	if w.Factor <= 0 {
		return d
	}
	return time.Duration(float64(d) * w.Factor)
}
