package scenarios

import (
	"slices"
)

// Capability is something that some CCMs can do and others cannot, because their cloud
// has no such thing, or because it is not implemented. A scenario that needs one does
// not apply to a CCM that does not declare it.
type Capability struct {
	Name string `json:"name"`
	// Doc says what a CCM that declares it promises.
	Doc string `json:"doc"`
}

// Capabilities returns all that a CCM can declare and a scenario can need.
func Capabilities() []Capability {
	return []Capability{
		{"nodes", "initialises Nodes and follows their VMs: Instances or InstancesV2 of k8s.io/cloud-provider"},
		{"nodeLabels", "gives Nodes labels that their VMs have in the cloud, by nodeLabelPrefix of simcloud-ccm's cloud config"},
		{"newNodeGrace", "keeps a new Node for a while though the cloud does not show its VM, by nodeGracePeriod of simcloud-ccm's cloud config"},
		{"sameNames", "has a cloud in which several VMs, or load balancers, can have one name, and a VM a hostname beside its name"},
		{"severalAddresses", "gives a Node all addresses of its VM, of which there can be several in one network"},
		{"loadBalancers", "makes load balancers for Services: LoadBalancer of k8s.io/cloud-provider"},
		{"floatingIPs", "gives a load balancer a floating IP as its address, which outlives it"},
		{"provisioningState", "has a cloud that shows whether a load balancer is ready, as AWS does not of classic ones"},
		{"errorState", "has a cloud whose load balancers can be in a state of error, in which they must be replaced or repaired"},
		{"udp", "makes load balancers with UDP ports, alone and beside TCP ports"},
		{"ipv6", "makes load balancers with an IPv6 address"},
		{"dualStack", "serves both IP families at once: at a load balancer, on a Node, and with routes"},
		{"sourceRanges", "lets in to a load balancer only what spec.loadBalancerSourceRanges names"},
		{"sessionAffinity", "keeps a client on one node when the Service's sessionAffinity is ClientIP"},
		{"trafficPolicyLocal", "checks the nodes' health at the healthCheckNodePort when externalTrafficPolicy is Local"},
		{"requestedAddress", "gives a load balancer the address of spec.loadBalancerIP, or none"},
		{"sharedLoadBalancers", "serves several Services by one load balancer, by the annotation service.simcloud.dev/share"},
		{"adoptedLoadBalancers", "serves a Service by a load balancer that another client has made, by the annotation service.simcloud.dev/load-balancer-id"},
		{"internalLoadBalancers", "gives a load balancer an address of the network, by the annotation service.simcloud.dev/internal"},
		{"routes", "makes a route for each Node's range of pod addresses: Routes of k8s.io/cloud-provider"},
		{"addressRoutes", "can make routes lead to an address of the VM in the place of the VM, by routeNextHop of simcloud-ccm's cloud config"},
		{"leaderElection", "elects a leader among its replicas, with the flags of k8s.io/cloud-provider"},
		{"tokenCheck", "ends with an error at its start when the cloud refuses its token, and its log says that it is the token"},
		{"tokenRenewal", "takes a new token of the cloud from {token-file} while it runs"},
		{"cloudConfig", "reads simcloud-ccm's cloud config from {cloud-config}, all of its keys"},
		{"flags", "takes the flags of k8s.io/cloud-provider at the end of its command"},
		{"metrics", "serves /healthz, /configz and the metrics of k8s.io/cloud-provider at {secure-port}, to admins of the cluster"},
	}
}

// CapabilityNames are the words that spec.capabilities may have.
func CapabilityNames() []string {
	all := Capabilities()
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	return names
}

// CapabilitySet is what a CCM declares, by name. A nil set is one of a CCM that
// declares nothing.
type CapabilitySet map[string]bool

// AllCapabilities is the set of a CCM that can do everything.
func AllCapabilities() CapabilitySet {
	all := CapabilitySet{}
	for _, name := range CapabilityNames() {
		all[name] = true
	}
	return all
}

// Names returns what is declared, in the order of [Capabilities].
func (c CapabilitySet) Names() []string {
	return slices.DeleteFunc(CapabilityNames(), func(name string) bool { return !c[name] })
}

// Lacking returns what a scenario needs and the set has not, in the order of [Capabilities].
func (c CapabilitySet) Lacking(s *Scenario) []string {
	return slices.DeleteFunc(CapabilityNames(), func(name string) bool {
		return c[name] || !slices.Contains(s.Capabilities, name)
	})
}
