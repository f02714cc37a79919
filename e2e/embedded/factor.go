package embedded

import (
	"math"
	"time"
)

const (
	// nominalStart is how long etcd and the API server take to be ready on two cores that carry another
	// cluster too, which the default bounds leave room for. Two idle cores need 2.5 s.
	nominalStart = 3500 * time.Millisecond
	// mostFactor keeps a start that hung for a moment from making every wait endless.
	mostFactor = 8
)

// factorOf says how many times slower than nominal a machine is on which etcd and
// the API server took that long: from 1, in tenths.
func factorOf(took time.Duration) float64 {
	tenths := math.Round(10 * took.Seconds() / nominalStart.Seconds())
	return min(max(tenths/10, 1), mostFactor)
}

// calibrate measures the machine by the start of etcd and the API server, and
// makes the grace of silent nodes fit it, unless Config says what that is to be.
func (p *plane) calibrate(took time.Duration) {
	p.factor = factorOf(took)
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
