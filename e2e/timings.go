package e2e

import (
	"math"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/manager"
)

// ClusterCIDR is what the pods of a cluster have their addresses from.
const ClusterCIDR = "10.244.0.0/16"

// Timings are the periods of a cluster and the bounds of its waiting. A zero
// field has the default that DefaultTimings gives.
type Timings struct {
	// NodeMonitor is how often the CCM looks after nodes that are not ready.
	NodeMonitor time.Duration
	// NodeStatusUpdate is how often the CCM compares addresses.
	NodeStatusUpdate time.Duration
	// RouteReconciliation is how often the CCM compares routes.
	RouteReconciliation time.Duration
	// Heartbeat is how often a hollow node reports, NodeLease how long a report
	// is good for. They fit the embedded backend, whose control plane gives up a silent node after 4 s.
	Heartbeat, NodeLease time.Duration
	// CCMStart bounds the time until a CCM is healthy, CCMStop that between asking and killing it.
	CCMStart, CCMStop time.Duration
	// Reset bounds Cluster.Reset, Stop bounds Cluster.Stop.
	Reset, Stop time.Duration
}

// DefaultTimings are short: nothing waits for a cloud or a network.
func DefaultTimings() Timings {
	return Timings{
		NodeMonitor:         time.Second,
		NodeStatusUpdate:    5 * time.Second,
		RouteReconciliation: time.Second,
		Heartbeat:           time.Second,
		NodeLease:           4 * time.Second,
		CCMStart:            time.Minute,
		CCMStop:             10 * time.Second,
		Reset:               time.Minute,
		Stop:                time.Minute,
	}
}

// reportsPerSecond is how many hollow nodes report within a second at most. Each report is a read and a write of the API
// server: two cores that carry the rest of the cluster have no room for those of 1,000 nodes.
const reportsPerSecond = 100

// TimingsFor are the timings of a cluster with so many hollow nodes, and the grace that its control plane must give to
// silent nodes. Up to 100 nodes they are the default ones, and grace is 0, the backend's own; with 1,000 a hollow node
// reports every 10 s, as a kubelet of a data centre does, and has 40 s.
func TimingsFor(hollow int) (t Timings, grace time.Duration) {
	t = DefaultTimings()
	if hollow <= reportsPerSecond {
		return t, 0
	}
	seconds := time.Duration(hollow+reportsPerSecond-1) / reportsPerSecond
	t.Heartbeat, t.NodeLease = seconds*time.Second, 4*seconds*time.Second
	t.NodeStatusUpdate = max(t.NodeStatusUpdate, t.Heartbeat)
	t.RouteReconciliation = t.Heartbeat / 2
	return t, t.NodeLease
}

// scaled are the timings of a machine that is slower by the factor: what bounds a wait
// grows, and so does the time for which a node may be silent; periods stay.
func (t Timings) scaled(factor float64) Timings {
	for _, bound := range []*time.Duration{&t.NodeLease, &t.CCMStart, &t.CCMStop, &t.Reset, &t.Stop} {
		*bound = time.Duration(factor * float64(*bound))
	}
	return t
}

func (t Timings) withDefaults() Timings {
	d := DefaultTimings()
	for _, field := range []struct{ value, fallback *time.Duration }{
		{&t.NodeMonitor, &d.NodeMonitor},
		{&t.NodeStatusUpdate, &d.NodeStatusUpdate},
		{&t.RouteReconciliation, &d.RouteReconciliation},
		{&t.Heartbeat, &d.Heartbeat},
		{&t.NodeLease, &d.NodeLease},
		{&t.CCMStart, &d.CCMStart},
		{&t.CCMStop, &d.CCMStop},
		{&t.Reset, &d.Reset},
		{&t.Stop, &d.Stop},
	} {
		if *field.value == 0 {
			*field.value = *field.fallback
		}
	}
	return t
}

// ccm are those of the CCM.
func (t Timings) ccm() manager.Timings {
	return manager.Timings{
		NodeMonitor: t.NodeMonitor, NodeStatusUpdate: t.NodeStatusUpdate, RouteReconciliation: t.RouteReconciliation,
		Start: t.CCMStart, Stop: t.CCMStop,
	}
}

// pace is that of hollow nodes.
func (t Timings) pace() machine.Pace { return machine.Pace{Heartbeat: t.Heartbeat, Lease: t.NodeLease} }

// mostFactor keeps a start that hung for a moment from making every wait endless.
const mostFactor = 8

// FactorOf is what a [Calibrated] backend says of a machine on which it took so
// long to start, where two cores that carry one other cluster take nominal: from
// 1 to 8, in tenths.
func FactorOf(took, nominal time.Duration) float64 {
	tenths := math.Round(10 * took.Seconds() / nominal.Seconds())
	return min(max(tenths/10, 1), mostFactor)
}
