// Package budget states how many calls of the cloud a cluster costs at most.
// Tests hold the provider to it, in process and in whole clusters.
package budget

import (
	"time"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Calls are calls of the cloud: Reads change nothing, Writes do.
type Calls struct{ Reads, Writes int }

// Shape is what the number of calls depends on. A zero field has the default of
// its flag or key.
type Shape struct {
	// Nodes is how many there are, and NotReady how many of them are not ready.
	Nodes, NotReady int
	// Instances is how many the project has, of others too; 0 for one a Node.
	Instances int
	// Services is how many of type LoadBalancer there are.
	Services int
	// Families is of how many IP families pods and Services have addresses; 0 for 1.
	Families int

	// NodeStatusUpdate, NodeMonitor and RouteReconciliation are
	// --node-status-update-frequency, --node-monitor-period and --route-reconciliation-period.
	NodeStatusUpdate, NodeMonitor, RouteReconciliation time.Duration
	// ListAge is instanceListAge of the cloud config.
	ListAge time.Duration
}

func (s Shape) withDefaults() Shape {
	s.Instances = max(s.Instances, s.Nodes)
	s.Families = max(s.Families, 1)
	for _, field := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&s.NodeStatusUpdate, 5 * time.Minute},
		{&s.NodeMonitor, 5 * time.Second},
		{&s.RouteReconciliation, 10 * time.Second},
		{&s.ListAge, config.Default().InstanceListAge},
	} {
		if *field.value == 0 {
			*field.value = field.fallback
		}
	}
	return s
}

// ListCalls is how many calls a list of all instances takes.
func ListCalls(instances int) int {
	return max(1, (instances+simcloud.MaxPageSize-1)/simcloud.MaxPageSize)
}

// PassCalls is how many calls it takes at most to look at n Nodes one after
// the other, all within instanceListAge: as many single questions as a list has
// pages, and then the list. A process that does not yet know how many pages
// there are asks but once before it lists.
func PassCalls(n, instances int) int {
	pages := ListCalls(instances)
	switch {
	case n <= 1:
		return n
	case n <= pages:
		return 1 + pages
	default:
		return 2 * pages
	}
}

// Idle is what a cluster costs at most for a time in which nothing happens to
// it: its Nodes are looked at each NodeStatusUpdate, those that are not ready
// each NodeMonitor, and the route table each RouteReconciliation. Services cost
// nothing, and nothing is ever written.
func (s Shape) Idle(d time.Duration) Calls {
	s = s.withDefaults()
	return Calls{Reads: times(d, s.NodeStatusUpdate)*PassCalls(s.Nodes, s.Instances) +
		times(d, s.NodeMonitor)*PassCalls(s.NotReady, s.Instances) +
		times(d, s.RouteReconciliation)}
}

// times is how often something happens at most in d that happens every period.
func times(d, period time.Duration) int { return int(d/period) + 1 }

// Initialization is what it costs at most to take in Nodes new Nodes, to the
// last route, in the time that it took. A list of the instances serves all Nodes
// that were there when it began; those that join later wait for the next one,
// an eighth of ListAge after it. So Nodes that join together cost a few lists,
// and Nodes that come one by one at most one list each. The controllers ask for
// the ids of Nodes, too, before a list has them: one question each.
func (s Shape) Initialization(took time.Duration) Calls {
	s = s.withDefaults()
	s.NotReady = s.Nodes
	pages := ListCalls(s.Instances)
	names := min(s.Nodes+times(took, s.ListAge), times(took, s.ListAge/config.RestFraction)) * pages
	ids := s.Nodes * s.Families
	return Calls{Reads: s.Idle(took).Reads + names + ids + OnceCalls, Writes: s.Nodes * s.Families}
}

// OnceCalls is what a process asks once: which regions there are, and which route table is its own.
const OnceCalls = 2

// Start is what a new process costs at most that finds all as it should be:
// the check of its config, one look at everything, and two at each Service.
func (s Shape) Start() Calls {
	s = s.withDefaults()
	return Calls{Reads: checkCalls + OnceCalls + s.Idle(0).Reads + 2*s.Services*serviceLook}
}

const (
	// checkCalls is the check of the config: regions, networks, route tables.
	checkCalls = 3
	// serviceLook is what is asked about one Service: its load balancers and its floating IPs.
	serviceLook = 2
)

// CreateServices is what Services new Services cost at most: each is one load
// balancer, made whole, and a floating IP of each family.
func (s Shape) CreateServices() Calls {
	s = s.withDefaults()
	return Calls{Reads: OnceCalls + s.Services*(serviceLook+2), Writes: s.Services * (1 + s.Families)}
}

// DeleteServices is what it costs at most that Services go: each is looked at
// twice, to see that nothing is left, and once for load balancers that it uses with others.
func (s Shape) DeleteServices() Calls {
	s = s.withDefaults()
	return Calls{Reads: s.Services * (2*serviceLook + 1), Writes: s.Services * (1 + 2*s.Families)}
}

// ChangeNodes is what it costs the Services at most that some Nodes come or go at once.
func (s Shape) ChangeNodes(changed int) Calls {
	return Calls{Reads: OnceCalls + s.Services*(serviceLook+1), Writes: s.Services * changed}
}
