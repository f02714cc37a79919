package kind

import "time"

// nominalStart is how long kind takes to make a control plane on two cores that carry another
// cluster too, which the default bounds leave room for. Two idle cores need 15 s.
const nominalStart = 25 * time.Second

// Factor says how many times slower this machine was when kind made the control
// plane than two cores that carry one other cluster, from 1. It is 1 before the start.
func (b *Backend) Factor() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.plane == nil {
		return 1
	}
	return b.plane.factor
}
