package scenarios

import (
	"time"
)

// stopwatch adds up phases.
type stopwatch map[Phase]float64

// time runs f and adds its time to a phase.
func (w stopwatch) time(p Phase, f func() error) error {
	began := time.Now()
	err := f()
	w[p] += time.Since(began).Seconds()
	return err
}
