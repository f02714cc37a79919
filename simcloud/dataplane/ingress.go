package dataplane

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Ingress is what the security groups of a load balancer or a target let in: what one
// of the rules does. Nil lets everything in.
type Ingress struct {
	// Groups are the groups, for messages.
	Groups []simcloud.ID
	Rules  []IngressRule
}

// IngressRule lets some traffic in.
type IngressRule struct {
	// Protocol is tcp or udp; empty means any, with all ports.
	Protocol         simcloud.Protocol
	FromPort, ToPort int
	// Clients are where clients may be.
	Clients []netip.Prefix
	// Balancer lets in all that comes through the load balancer, whoever the client is,
	// and its health checks.
	Balancer bool
	// Checks lets in the health checks of the load balancer.
	Checks bool
}

// passage is what wants to come in: a client, or a check of the load balancer itself.
type passage struct {
	client   netip.Addr
	check    bool
	protocol simcloud.Protocol // a transport
	port     int
}

// lets reports whether a rule lets something in.
func (g *Ingress) lets(p passage) bool {
	return g == nil || slices.ContainsFunc(g.Rules, func(r IngressRule) bool { return r.lets(p) })
}

func (r IngressRule) lets(p passage) bool {
	if r.Protocol != "" && (r.Protocol != p.protocol || p.port < r.FromPort || p.port > r.ToPort) {
		return false
	}
	if r.Balancer || p.check {
		return r.Balancer || r.Checks
	}
	return slices.ContainsFunc(r.Clients, func(prefix netip.Prefix) bool { return prefix.Contains(p.client) })
}

// String names the groups.
func (g *Ingress) String() string {
	names := make([]string, len(g.Groups))
	for i, id := range g.Groups {
		names[i] = string(id)
	}
	return strings.Join(names, " and ")
}
