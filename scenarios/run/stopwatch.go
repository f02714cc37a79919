package run

import (
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// stopwatch adds up phases.
type stopwatch map[scenarios.Phase]float64

// time runs f and adds its time to a phase.
func (w stopwatch) time(p scenarios.Phase, f func() error) error {
	began := time.Now()
	err := f()
	w[p] += time.Since(began).Seconds()
	return err
}
