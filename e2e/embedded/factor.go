package embedded

import (
	"time"

	"github.com/simcloud-dev/simcloud/e2e"
)

// nominalStart is how long etcd and the API server take to be ready on two cores that carry another
// cluster too, which the default bounds leave room for. Two idle cores need 2.5 s.
const nominalStart = 3500 * time.Millisecond

// calibrate measures the machine by the start of etcd and the API server, and
// makes the grace of silent nodes fit it, unless Config says what that is to be.
func (p *plane) calibrate(took time.Duration) {
	p.factor = e2e.FactorOf(took, nominalStart)
	if p.grace == 0 {
		p.grace = time.Duration(p.factor * float64(defaultNodeGrace))
	}
}

// Factor says how many times slower this machine was when the control plane
// started than two cores that carry one other cluster, from 1. It is 1 before the start.
func (b *Backend) Factor() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.plane == nil {
		return 1
	}
	return b.plane.factor
}
