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
	// delayed is what the CCM's requests about are held back: "" for nothing.
	delayed string
	// lagging is whether the CCM may see what is old.
	lagging bool
	// slow is whether load balancers take their time.
	slow bool
	// zoneDown is whether a zone is.
	zoneDown bool
	// foreign is what others have made in the cloud.
	foreign foreignParts
	// paged tells that lists of VMs have small pages.
	paged bool
	// told counts the VMs whose kubelets were told an address.
	told int
	// armed counts the fault rules that there were.
	armed int
	// asked are the parts that only what a history has asked for puts to the test.
	asked map[part]bool
}

// foreignParts are bits.
type foreignParts int

const (
	foreignRouteMade foreignParts = 1 << iota
	foreignBalancerMade
	elsewhereMade // a Service in another namespace
	foreignAddressMade
	foreignNetworkMade
	foreignNameMade // a load balancer of another cluster
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
	// orphan is whether it has no Node, but for the one of a VM of its name that is gone.
	orphan bool
	// cut is whether its zone is down.
	cut bool
	// moved is whether it has an address that it was not made with.
	moved bool
	// bare tells that it was made without a public address.
	bare bool
	// wide tells that it has got a public IPv6 address.
	wide bool
	// again is whether there was a Node of its name before its own.
	again bool
	// doubtful is whether a CCM may initialise the Node late, because it has failed before. After each error upstream's node
	// controller waits twice as long, up to a quarter of an hour. It tries at once when the kubelet writes its status, which may
	// take five minutes.
	doubtful bool
	// touches counts the times that the Node was touched.
	touches int
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
	// again tells that an earlier Service had its name.
	again bool
	// shared is whether another client has put a part into its load balancer.
	shared bool
	// deleting is whether it was deleted while no CCM can take its load balancer away.
	deleting bool
	settings settings
	// doubtful is whether a CCM may look at it later than it should: after errors, when it was started again, when others
	// have changed its load balancer, or when a Node came at the same time.
	doubtful bool
	// unsettled is whether its families have just changed: the status that upstream's service controller has written is
	// lost when the Service changes back before the controller has seen that status.
	unsettled bool
	// nudges counts the times that it was touched.
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
	m := &model{vms: map[string]*vm{}, services: map[string]*service{}, ccm: ccmRunning, asked: map[part]bool{}}
	for i := range nodes {
		m.vms[nodeName(i+1)] = &vm{state: vmRunning}
	}
	return m
}

func nodeName(n int) string { return fmt.Sprintf("node-%d", n) }

func serviceName(n int) string { return fmt.Sprintf("web-%d", n) }

// healthy reports whether the CCM can do all its work: then it can be waited for.
func (m *model) healthy() bool {
	return m.ccm == ccmRunning && !m.faults && !m.forbidden && m.delayed == "" && !m.lagging
}

// recovering reports whether the CCM can do all its work after a few errors.
func (m *model) recovering() bool {
	return m.ccm == ccmRunning && !m.lasting && !m.forbidden && m.delayed == "" && !m.lagging
}

// ask lets a part be put to the test at the end.
func (m *model) ask(p part) { m.asked[p] = true }

// doubt marks what a CCM may look at late from now on: every Service, and every Node that is not initialised.
func (m *model) doubt() {
	for _, v := range m.vms {
		v.doubtful = v.there() && !v.known
	}
	for _, s := range m.services {
		s.doubtful = true
	}
}

// initialising reports whether a Node may not be initialised yet.
func (m *model) initialising() bool {
	return len(m.vmsThat(func(v *vm) bool { return v.there() && !v.known })) > 0
}

// collect lets a CCM that runs again take away what was deleted meanwhile.
func (m *model) collect() {
	for _, s := range m.services {
		s.deleting = false
	}
}

// late reports whether a CCM may initialise the Node late.
func (v *vm) late() bool { return v.there() && v.doubtful && !v.orphan }

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
func (v *vm) quiet() bool { return v.state != vmRunning || v.silent || v.unborn || v.cut }

// active reports whether a machine runs on it that is heard of.
func (v *vm) active() bool { return v.there() && !v.quiet() }

// falls reports whether its Node becomes not ready, or goes.
func (v *vm) falls() bool { return v.quiet() && (!v.unborn || v.orphan) }

// wanted reports whether a Service is to have a load balancer.
func (s *service) wanted() bool { return s != nil && s.here && s.balanced }
