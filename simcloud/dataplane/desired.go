package dataplane

import (
	"net/netip"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// LoadBalancer is what a load balancer is to do.
type LoadBalancer struct {
	ID simcloud.ID
	// VIPs are the addresses that it listens on; each has all listeners.
	VIPs      []netip.Addr
	Listeners []Listener
	Targets   []Target
	// Groups are the targets of the listeners that name a group.
	Groups    []Group
	Algorithm simcloud.Algorithm // empty means round robin
	// Affinity keeps a client's connections, of all listeners that have the same
	// targets, on one target until the time has passed since the last of them began;
	// DefaultAffinityTimeout when it gives none.
	Affinity simcloud.Affinity
}

// Group is a set of targets that listeners may have in place of those of their load balancer.
type Group struct {
	ID      simcloud.ID
	Targets []Target
}

// Listener is one port of a load balancer. What it says is for connections
// that come; those that are there go on as they began.
type Listener struct {
	// Protocol decides which transports are forwarded; see simcloud.Protocol.
	Protocol   simcloud.Protocol
	Port       int
	TargetPort int
	// Group is one of the groups of the load balancer; empty: the targets are those of the load
	// balancer. A listener that changes its group is another one: its connections end.
	Group simcloud.ID
	// HealthCheck decides which targets get connections through this
	// listener; without one that is said by Target.Health alone. Port 0 means the port of each target.
	HealthCheck *simcloud.HealthCheck
	// AllowedCIDRs are the sources that may connect; empty means all. Those of
	// a family of which there is no range may not, when there is any range.
	AllowedCIDRs []netip.Prefix
	// Ingress is what the security groups of the load balancer let in; nil means all.
	Ingress *Ingress
	// ProxyProtocol tells the targets whose connection it is. For TCP alone.
	ProxyProtocol ProxyProtocol
	// IdleTimeout ends what has moved nothing for so long: connections of TCP,
	// the memory of a client of UDP. 0 means DefaultIdleTimeout or DefaultUDPIdleTimeout.
	IdleTimeout time.Duration
}

// ProxyProtocol is the version of the PROXY protocol's header that opens each
// connection to a target.
type ProxyProtocol int

// The versions of the PROXY protocol.
const (
	ProxyProtocolNone ProxyProtocol = iota
	ProxyProtocolV1                 // one line of text
	ProxyProtocolV2                 // binary
)

// Target is a machine to forward to. When it is not among the targets any more
// it gets no new connection, and has the drain timeout for the others.
type Target struct {
	// Instance is the id of the machine, or its address when the cloud has no instance for it.
	Instance simcloud.ID
	// Port is where it takes connections; 0 means the target port of the listener. A
	// machine may be several targets, with a port each.
	Port int
	// Addresses are the machine's. The first of the VIP's family is forwarded
	// to, or else the first; checks go to the first. Without any the target is unhealthy.
	Addresses []netip.Addr
	// Weight is its share of the connections; below 1 means 1.
	Weight int
	// Health is what is known of the target without asking it, empty means
	// healthy: an unhealthy one gets no connections whatever its checks say, a
	// draining one none that are new, and has the drain timeout for the others.
	Health simcloud.TargetHealth
	// Found is what checks have last found of it before it came here, such as
	// by a balancer that has ended. It holds until the first answer; empty: nothing.
	Found simcloud.TargetHealth
	// Ingress is what the security groups of the machine let in; nil means all. A
	// connection that it does not let in is turned away once the target is chosen:
	// a load balancer does not know the groups of its targets.
	Ingress *Ingress
}

// Durations that apply unless the load balancer sets others.
const (
	// DefaultIdleTimeout is that of TCP listeners.
	DefaultIdleTimeout = 5 * time.Minute
	// DefaultUDPIdleTimeout is that of UDP listeners.
	DefaultUDPIdleTimeout = time.Minute
	// DefaultAffinityTimeout is that of Kubernetes Services.
	DefaultAffinityTimeout = 3 * time.Hour
	// DefaultDrainTimeout is how long connections to a target that has gone may live on.
	DefaultDrainTimeout = 30 * time.Second
	// DefaultDialTimeout is how long a target may take to accept a connection.
	DefaultDialTimeout = 5 * time.Second
)
