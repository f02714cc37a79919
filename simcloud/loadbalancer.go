package simcloud

import (
	"slices"
	"strconv"
)

// LoadBalancer forwards connections from its VIPs to instances.
type LoadBalancer struct {
	Meta
	State      LoadBalancerState `json:"state"`
	StatusText string            `json:"statusText,omitempty"`
	Scheme     Scheme            `json:"scheme"`
	// Class is an offering of the cloud: one of Config.LoadBalancerClasses, or any
	// word while there are none.
	Class   string `json:"class,omitempty"`
	Network ID     `json:"network"`
	// VIPs are the addresses that it listens on: those of its network for an
	// internal one, those of its own and of its floating IPs for a public one, and
	// for both those of the networks that it is attached to.
	VIPs []VIP `json:"vips"`
	// Hostname is a DNS name that leads to the VIPs; empty: it has none. It never changes.
	Hostname string `json:"hostname,omitempty"`
	// PublicDisabled, if true, lets nothing answer at its public addresses, which
	// stay its own: those of pools and of floating IPs.
	PublicDisabled bool       `json:"publicDisabled,omitempty"`
	Listeners      []Listener `json:"listeners"`
	Targets        []Target   `json:"targets"`
	// MaxTargets is how many targets it takes, as its class or Config had it when it
	// was made or got its class; 0 means any number.
	MaxTargets int `json:"maxTargets,omitempty"`
	// MaxListeners is how many listeners it takes, as its class had it; 0 means any number.
	MaxListeners int       `json:"maxListeners,omitempty"`
	Algorithm    Algorithm `json:"algorithm"`
	// Affinity is how long connections of one client stay with one target.
	Affinity Affinity `json:"affinity"`
	// SecurityGroups are those whose rules hold for the clients of the load balancer;
	// without any it takes all that its listeners allow.
	SecurityGroups []ID `json:"securityGroups,omitempty"`
	// Options are settings of other clouds' load balancers. The cloud keeps and returns them, and does not interpret them.
	Options map[string]string `json:"options,omitempty"`
}

// AttachedTo reports whether the load balancer has an address of a network.
func (lb LoadBalancer) AttachedTo(network ID) bool {
	return network != "" && slices.ContainsFunc(lb.VIPs, func(vip VIP) bool { return vip.Network == network })
}

// Networks returns the networks that the load balancer has addresses of, each once.
func (lb LoadBalancer) Networks() []ID {
	var all []ID
	for _, vip := range lb.VIPs {
		if vip.Network != "" && !slices.Contains(all, vip.Network) {
			all = append(all, vip.Network)
		}
	}
	return all
}

// Answers reports whether the load balancer listens on one of its VIPs.
func (lb LoadBalancer) Answers(vip VIP) bool { return vip.Network != "" || !lb.PublicDisabled }

// LoadBalancerState is where a load balancer is in its life.
type LoadBalancerState string

// The states of a load balancer. A deleted one is gone: reading it answers NotFound.
const (
	LoadBalancerProvisioning LoadBalancerState = "provisioning"
	LoadBalancerActive       LoadBalancerState = "active"
	LoadBalancerUpdating     LoadBalancerState = "updating"
	// LoadBalancerError: an operation has failed. It can be failed over or
	// deleted; every other change of it answers Conflict.
	LoadBalancerError    LoadBalancerState = "error"
	LoadBalancerDeleting LoadBalancerState = "deleting"
)

// Scheme tells from where a load balancer can be reached.
type Scheme string

// The schemes of a load balancer.
const (
	SchemePublic   Scheme = "public"   // through addresses of its own and attached floating IPs
	SchemeInternal Scheme = "internal" // through an address of its network
)

// VIP is an address that a load balancer listens on.
type VIP struct {
	Address string `json:"address"`
	// FloatingIP is the floating IP that brings the address.
	FloatingIP ID `json:"floatingIP,omitempty"`
	// Pool is the pool of floating IPs that the address is from, when it belongs to
	// the load balancer: nothing else can have it until the load balancer is gone.
	Pool string `json:"pool,omitempty"`
	// Network is the network that the address is of, when it is private: an address
	// has one of FloatingIP, Pool and Network.
	Network ID `json:"network,omitempty"`
	// Subnet is the subnet of the network whose range the address is from, if any. An
	// address of a placement has the subnet of that, also when it is public.
	Subnet ID `json:"subnet,omitempty"`
	// Zone is where an address of a placement is, if it is of a zone.
	Zone ID `json:"zone,omitempty"`
	// Document is the document that reserves the address, if any: it keeps the address when the load balancer is gone.
	Document ID `json:"document,omitempty"`
	// PTR is the name that reverse DNS has for an address of the load balancer's own; empty means none.
	PTR string `json:"ptr,omitempty"`
}

// Listener is one port of a load balancer. Transport and port together are
// unique in it, and protocol and port never change. See Protocol.Transports.
type Listener struct {
	// ID is "tcp-80": the protocol and port. See ListenerID.
	ID       ID       `json:"id"`
	Protocol Protocol `json:"protocol"`
	Port     int      `json:"port"`
	ListenerConfig
}

// ListenerConfig is what can be changed of a listener.
type ListenerConfig struct {
	// TargetPort is the port on the targets; 0 with TargetGroup.
	TargetPort  int          `json:"targetPort"`
	HealthCheck *HealthCheck `json:"healthCheck,omitempty"`
	// TargetGroup is the group to which the listener forwards, in place of the targets of
	// the load balancer. The ports, the health check and ProxyProtocol are then those of the
	// group. It is of the load balancer's network and takes the transports of the listener.
	// Conflict: a listener of another load balancer names it.
	TargetGroup ID `json:"targetGroup,omitempty"`
	// AllowedCIDRs are the sources that may connect; empty means all.
	AllowedCIDRs       []string `json:"allowedCIDRs,omitempty"`
	ProxyProtocol      bool     `json:"proxyProtocol,omitempty"`
	IdleTimeoutSeconds int      `json:"idleTimeoutSeconds,omitempty"` // 0: the cloud's default
	// Labels tell whose listener it is.
	Labels map[string]string `json:"labels,omitempty"`
	// Documents are what the listener uses of a dialect, such as certificates. They
	// cannot be deleted meanwhile.
	Documents []ID `json:"documents,omitempty"`
	// Options are settings of other clouds' listeners, such as the name of a cookie. The cloud keeps and returns them, and does not interpret them.
	Options map[string]string `json:"options,omitempty"`
}

// ListenerSpec describes a listener to create.
type ListenerSpec struct {
	Protocol Protocol `json:"protocol"`
	Port     int      `json:"port"`
	ListenerConfig
}

// ListenerID returns the id of the listener for a protocol and port.
func ListenerID(protocol Protocol, port int) ID {
	return ID(string(protocol) + "-" + strconv.Itoa(port))
}

// HealthCheck decides which targets get traffic.
type HealthCheck struct {
	Protocol HealthCheckProtocol `json:"protocol"`
	// Port is where targets are asked. In a target group 0 means the port of each target.
	Port int    `json:"port"`
	Path string `json:"path,omitempty"` // with http and https, as all up to VerifyCertificate
	// Domain is the host that is asked for; empty means the target's address.
	Domain string `json:"domain,omitempty"`
	// StatusCodes are patterns of those of a good answer, in which ? is any digit and
	// * ends a pattern, such as 200, 3?? and 20*; empty means 2?? and 3??.
	StatusCodes []string `json:"statusCodes,omitempty"`
	// Response is a text that the first 64 KiB of a good answer contain; empty means any answer.
	Response string `json:"response,omitempty"`
	// VerifyCertificate is for https: a certificate that is not valid for Domain, or
	// else for the target's address, is a bad answer. Without it any certificate will do.
	VerifyCertificate bool `json:"verifyCertificate,omitempty"`
	// IntervalSeconds, TimeoutSeconds and Threshold default to 5, 3 and 3.
	IntervalSeconds int `json:"intervalSeconds,omitempty"`
	TimeoutSeconds  int `json:"timeoutSeconds,omitempty"`
	Threshold       int `json:"threshold,omitempty"` // answers in a row that change the health
}

// HealthCheckProtocol is how a target is asked.
type HealthCheckProtocol string

// The protocols of a health check.
const (
	HealthCheckTCP   HealthCheckProtocol = "tcp"
	HealthCheckHTTP  HealthCheckProtocol = "http"
	HealthCheckHTTPS HealthCheckProtocol = "https"
)

// Target is an instance that a load balancer forwards to, or an address. When the
// instance is deleted, its target stays, unhealthy, until a client deletes it.
type Target struct {
	Instance ID `json:"instance,omitempty"`
	// Address is what the load balancer forwards to when the target has no instance: see TargetSpec.Address.
	Address string       `json:"address,omitempty"`
	Weight  int          `json:"weight"`
	Health  TargetHealth `json:"health"`
	// Reported is what the data plane has last said of the target while its
	// instance ran; empty: nothing, or there is no data plane. See ReportTargetHealth.
	Reported TargetHealth `json:"reported,omitempty"`
	// UsePrivateIP tells that the load balancer reaches the instance by its private
	// address, in a network that both are in.
	UsePrivateIP bool `json:"usePrivateIP,omitempty"`
	// Labels tell whose target it is.
	Labels map[string]string `json:"labels,omitempty"`
}

// TargetSpec describes a target to create: an instance or an address.
type TargetSpec struct {
	Instance ID `json:"instance,omitempty"`
	// Address is the address of a machine that is no instance of the cloud, such as a dedicated server. The cloud
	// does not look after the machine: the target is healthy, unless the data plane reports otherwise.
	Address string `json:"address,omitempty"`
	Weight  int    `json:"weight,omitempty"` // 0 means 1
	// UsePrivateIP asks for the private address of the instance, in a network that
	// the load balancer is attached to: Conflict when there is none. With an address
	// it tells that the address is in a range of such a network, and answers Conflict when it is not.
	UsePrivateIP bool              `json:"usePrivateIP,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
}

// TargetHealth is whether a target gets traffic.
type TargetHealth string

// The health of a target. One whose instance runs is healthy, unless the data
// plane has reported otherwise.
const (
	TargetHealthy   TargetHealth = "healthy"
	TargetUnhealthy TargetHealth = "unhealthy" // its instance does not run, or its health check fails
	TargetDraining  TargetHealth = "draining"  // its instance runs in a zone that is down
)

// TargetHealth is what a cloud knows of the instance's health as a target
// without asking it. The zero instance, one that is gone, is not healthy.
func (i Instance) TargetHealth() TargetHealth {
	switch {
	case i.State != InstanceRunning:
		return TargetUnhealthy
	case i.Unreachable:
		return TargetDraining
	default:
		return TargetHealthy
	}
}

// Algorithm is how a load balancer chooses a target.
type Algorithm string

// The algorithms of a load balancer.
const (
	RoundRobin       Algorithm = "round_robin"
	LeastConnections Algorithm = "least_connections"
)

// Affinity keeps the connections of one client on one target.
type Affinity struct {
	ClientIP       bool `json:"clientIP,omitempty"`
	TimeoutSeconds int  `json:"timeoutSeconds,omitempty"` // 0 without ClientIP
}

// LoadBalancerSpec describes a load balancer to create.
type LoadBalancerSpec struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	Scheme Scheme            `json:"scheme,omitempty"` // empty means public
	// Class is one of Config.LoadBalancerClasses, and empty the first of them. While
	// there are none it is any word, which is kept.
	Class string `json:"class,omitempty"`
	// MaxTargets and MaxListeners are how many it takes, instead of what its class
	// or Config has; 0 means as those have it.
	MaxTargets   int `json:"maxTargets,omitempty"`
	MaxListeners int `json:"maxListeners,omitempty"`
	Network      ID  `json:"network,omitempty"` // empty means the cloud's first
	// Hostname is the DNS name that leads to it; empty means that it has none. HostnameNumber in
	// it stands for the number in the id of the load balancer, which makes the name its own.
	Hostname string `json:"hostname,omitempty"`
	// Addresses asks for certain addresses of the network, at most one of each
	// family, for an internal one; AlreadyExists when one is taken.
	Addresses []string `json:"addresses,omitempty"`
	// PublicFamilies are the families, 4 and 6, of which a public one has an
	// address of its own, from the cloud's first pool of that family. Without any
	// it has no address until a floating IP is attached.
	PublicFamilies []int `json:"publicFamilies,omitempty"`
	// Placements are subnets or zones in each of which it has addresses, in place of Addresses and PublicFamilies.
	Placements []LoadBalancerPlacement `json:"placements,omitempty"`
	// Networks are what it is attached to from the beginning. See AttachLoadBalancerNetwork.
	Networks []NetworkAttachment `json:"networks,omitempty"`
	// Reservation is a document whose reserved addresses become VIPs; empty: none. Conflict: another load balancer has them, or
	// Networks has their network. The document cannot be deleted meanwhile.
	Reservation ID `json:"reservation,omitempty"`
	// PublicDisabled, if true, lets nothing answer at the public addresses of a public one.
	PublicDisabled bool `json:"publicDisabled,omitempty"`

	Listeners []ListenerSpec `json:"listeners,omitempty"`
	Targets   []TargetSpec   `json:"targets,omitempty"`
	Algorithm Algorithm      `json:"algorithm,omitempty"` // empty means round robin
	Affinity  Affinity       `json:"affinity,omitzero"`
	// Protected, if true, makes a deletion answer Protected until an update takes it off.
	Protected bool `json:"protected,omitempty"`
	// SecurityGroups are groups of the load balancer's network, or of any, at most MaxSecurityGroups.
	SecurityGroups []ID              `json:"securityGroups,omitempty"`
	Options        map[string]string `json:"options,omitempty"`
}

// HostnameNumber stands for the number in the id of a load balancer, 7 for lb-7.
const HostnameNumber = "{number}"

// LoadBalancerUpdate changes what is not nil.
type LoadBalancerUpdate struct {
	Name *string `json:"name,omitempty"`
	// Labels replaces all labels.
	Labels    *map[string]string `json:"labels,omitempty"`
	Algorithm *Algorithm         `json:"algorithm,omitempty"`
	Affinity  *Affinity          `json:"affinity,omitempty"`
	// PTRs are names in reverse DNS, by public addresses of its own. An empty name
	// removes the one that is there; addresses that are not here keep theirs.
	PTRs *map[string]string `json:"ptrs,omitempty"`
	// Protected puts the protection from deletion on or takes it off.
	Protected *bool `json:"protected,omitempty"`
	// PublicDisabled turns the public addresses off or on. Off answers Conflict
	// while no network is attached, or a target is not reached by a private address.
	PublicDisabled *bool `json:"publicDisabled,omitempty"`
	// Class changes the class, and with it the limits. One whose limits are too
	// small for what the load balancer has answers Conflict.
	Class *string `json:"class,omitempty"`
	// MaxTargets and MaxListeners replace the limits; 0 means as the class or Config
	// has it. One too small for what the load balancer has answers Conflict.
	MaxTargets   *int `json:"maxTargets,omitempty"`
	MaxListeners *int `json:"maxListeners,omitempty"`
	// SecurityGroups replaces all groups.
	SecurityGroups *[]ID `json:"securityGroups,omitempty"`
	// Placements replaces all placements. One with the subnet and zone of a placement that is there keeps
	// the addresses of that, unless it asks for others. Conflict: the load balancer was made without placements.
	Placements *[]LoadBalancerPlacement `json:"placements,omitempty"`
	// Options replaces all options.
	Options *map[string]string `json:"options,omitempty"`
}
