package explore

import (
	"fmt"
	"maps"
	"slices"
)

// model is what a history has made of the world: as much as has to be known to
// tell which ops are legal.
type model struct {
	vms      map[string]*vm      // by name; those that are gone too
	services map[string]*service // by name; those that are gone too
	ccm      ccmState
	// faults is whether a rule may change calls, lasting whether one may do so for
	// more than a few, and forbidden whether the CCM lacks rights.
	faults, lasting, forbidden bool
	// slow is whether load balancers take their time.
	slow bool
	// foreign is what others have made in the cloud.
	foreign foreignParts
	// armed counts the fault rules that there were.
	armed int
}

// foreignParts are bits.
type foreignParts int

const (
	foreignRouteMade foreignParts = 1 << iota
	foreignBalancerMade
)

// vm is a machine and its Node.
type vm struct {
	state vmState
	// known is whether the CCM has initialised the Node: before that only a
	// name says which VM it is, and a CCM may wait before it believes that one is gone.
	known bool
	// routed is whether the route to its pods was there, and was not deleted since.
	routed bool
	// silent is whether the machine says nothing though its VM runs.
	silent bool
	// excluded is whether its Node is to be no target.
	excluded bool
	// unborn is whether no machine runs on it, so that its Node never becomes ready.
	unborn bool
}

type vmState string

const (
	vmRunning vmState = "running"
	vmStopped vmState = "stopped"
	vmGone    vmState = "gone"
)

// service is a Service that is or was of the type LoadBalancer.
type service struct {
	here     bool
	balanced bool // it is of the type LoadBalancer
	// served is whether it has its load balancer, and nothing has been done to either since.
	served bool
	// shared is whether another client has put a part into its load balancer.
	shared bool
	// nudges is how often it was touched: only what differs from the last time is a change.
	nudges int
}

// ccmState is what is known of the CCM's process.
type ccmState string

const (
	ccmRunning ccmState = "running"
	ccmStopped ccmState = "stopped"
	ccmPaused  ccmState = "paused"
	ccmDoomed  ccmState = "doomed" // a call to come kills it, or has
)

func newModel(nodes int) *model {
	m := &model{vms: map[string]*vm{}, services: map[string]*service{}, ccm: ccmRunning}
	for i := range nodes {
		m.vms[nodeName(i+1)] = &vm{state: vmRunning}
	}
	return m
}

func nodeName(n int) string { return fmt.Sprintf("node-%d", n) }

func serviceName(n int) string { return fmt.Sprintf("web-%d", n) }

// healthy reports whether the CCM can do all its work: then it can be waited for.
func (m *model) healthy() bool { return m.ccm == ccmRunning && !m.faults && !m.forbidden }

// recovering reports whether the CCM can do all its work after a few errors.
func (m *model) recovering() bool { return m.ccm == ccmRunning && !m.lasting && !m.forbidden }

// vmsThat lists the names of the VMs that are so.
func (m *model) vmsThat(are func(*vm) bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.vms)), func(name string) bool { return !are(m.vms[name]) })
}

// servicesThat lists the names of the Services that are so.
func (m *model) servicesThat(are func(*service) bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.services)), func(name string) bool { return !are(m.services[name]) })
}

// there reports whether a VM exists.
func (v *vm) there() bool { return v != nil && v.state != vmGone }

// quiet reports whether nothing is heard of the machine.
func (v *vm) quiet() bool { return v.state != vmRunning || v.silent || v.unborn }

// wanted reports whether a Service is to have a load balancer.
func (s *service) wanted() bool { return s != nil && s.here && s.balanced }
