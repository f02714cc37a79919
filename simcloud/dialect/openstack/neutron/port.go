package neutron

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// port is where something is in a network: an instance, a load balancer or a router, from which it is derived. Others exist by
// themselves, until a load balancer uses them: see keptPort.
type port struct {
	standard
	Name                  string         `json:"name"`
	NetworkID             string         `json:"network_id"`
	AdminStateUp          bool           `json:"admin_state_up"`
	Status                string         `json:"status"`
	MACAddress            string         `json:"mac_address"`
	FixedIPs              []fixedIP      `json:"fixed_ips"`
	DeviceOwner           string         `json:"device_owner"`
	DeviceID              string         `json:"device_id"`
	SecurityGroups        []string       `json:"security_groups"`
	AllowedAddressPairs   *[]addressPair `json:"allowed_address_pairs,omitempty"` // nil without the extension
	PortSecurityEnabled   bool           `json:"port_security_enabled"`
	PropagateUplinkStatus bool           `json:"propagate_uplink_status"`
	VNICType              string         `json:"binding:vnic_type"`
	// owner is whose port it is, and network that of the port.
	owner   simcloud.Attachment
	network simcloud.ID
}

// fixedIP is an address of a port.
type fixedIP struct {
	SubnetID  string `json:"subnet_id"`
	IPAddress string `json:"ip_address"`
}

// addressPair is an address, or a range, that a port may send from besides its own.
type addressPair struct {
	IPAddress  string `json:"ip_address"`
	MACAddress string `json:"mac_address"`
}

// The owners of ports.
const (
	ownerServer = "compute:" // with the zone behind it
	ownerVIP    = "Octavia"
	ownerRouter = "network:router_interface"
)

// newPort is a port of something in a network.
func newPort(uuid string, m simcloud.Meta, owner simcloud.Attachment, network simcloud.ID) port {
	return port{
		standard: standardOf(uuid, simcloud.Meta{Project: m.Project, Created: m.Created, Updated: m.Updated, Version: m.Version}),
		owner:    owner, network: network, NetworkID: service.Networks.UUID(network), AdminStateUp: true, Status: active,
		MACAddress: service.MAC(owner.ID), FixedIPs: []fixedIP{}, SecurityGroups: []string{}, AllowedAddressPairs: &[]addressPair{},
		PortSecurityEnabled: true, VNICType: "normal",
	}
}

// ports are those of something, which are in a plan.
type ports struct {
	plan
	// pairs is whether ports have allowed address pairs.
	pairs bool
}

func portsOf(c service.Call) (p ports, err error) {
	if p.plan, err = planOf(c); err != nil {
		return p, err
	}
	p.pairs, err = extended(c, allowedAddressPairs)
	return p, err
}

// serverPort is the id of the port of an instance in a network.
func serverPort(instance, network simcloud.ID) string {
	return service.ServerPorts.UUIDOfPart(instance, service.NumberOf(network))
}

// server returns the ports of an instance: one for each of its networks.
func (p ports) server(i simcloud.Instance) []port {
	var all []port
	for _, network := range i.Networks() {
		uuid := serverPort(i.ID, network)
		shown := newPort(uuid, i.Meta, simcloud.Attachment{Kind: simcloud.KindInstance, ID: i.ID}, network)
		shown.DeviceID, shown.DeviceOwner = service.Servers.UUID(i.ID), ownerServer+string(i.Zone)
		if i.State == simcloud.InstancePending {
			shown.Status = "BUILD"
		}
		for _, a := range i.Addresses {
			if a.Scope == simcloud.ScopePrivate && cmp.Or(a.Network, i.Network) == network {
				shown.FixedIPs = append(shown.FixedIPs, fixedIP{p.subnetAt(network, a.Address), a.Address})
			}
		}
		shown.SecurityGroups = groupUUIDs(i.SecurityGroups)
		shown.Tags = portTags(i.Options, network)
		pairs := portPairs(i.Options, network, shown.MACAddress)
		shown.AllowedAddressPairs = &pairs
		all = append(all, p.without(shown))
	}
	return all
}

// vip returns the port of the VIP of a load balancer. One without a private address has a port without addresses.
func (p ports) vip(lb simcloud.LoadBalancer) port {
	shown := newPort(service.VIPPorts.UUID(lb.ID), lb.Meta, simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: lb.ID}, vipNetwork(lb))
	uuid := service.LoadBalancers.UUID(lb.ID)
	shown.Name, shown.DeviceID, shown.DeviceOwner = "octavia-lb-"+uuid, "lb-"+uuid, ownerVIP
	for _, vip := range lb.VIPs {
		if vip.Network == shown.network {
			shown.FixedIPs = append(shown.FixedIPs, fixedIP{p.subnetAt(vip.Network, vip.Address), vip.Address})
		}
	}
	shown.SecurityGroups = groupUUIDs(lb.SecurityGroups)
	return p.without(shown)
}

// vipNetwork is the network of a load balancer's VIP: the first that it has an address of, or else its own.
func vipNetwork(lb simcloud.LoadBalancer) simcloud.ID {
	if networks := lb.Networks(); len(networks) > 0 {
		return networks[0]
	}
	return lb.Network
}

// router returns the ports of a router: one for each subnet of its network, with the gateway's address there.
func (p ports) router(t simcloud.RouteTable) []port {
	var all []port
	for i, s := range p.routed(t) {
		uuid := service.RouterPorts.UUIDOfPart(t.ID, uint64(i))
		shown := newPort(uuid, t.Meta, simcloud.Attachment{Kind: simcloud.KindRouteTable, ID: t.ID}, t.Network)
		shown.DeviceID, shown.DeviceOwner, shown.MACAddress = service.Routers.UUID(t.ID), ownerRouter, service.MAC(simcloud.ID(uuid))
		shown.FixedIPs = append(shown.FixedIPs, fixedIP{s.ID, s.GatewayIP})
		all = append(all, p.without(shown))
	}
	return all
}

// routed are the subnets of a router: those of its network.
func (p plan) routed(t simcloud.RouteTable) []subnet {
	i := slices.IndexFunc(p.networks, func(n simcloud.Network) bool { return n.ID == t.Network })
	if i < 0 {
		return nil
	}
	return p.subnetsOf(p.networks[i])
}

// without returns a port without what the cloud has no extension for.
func (p ports) without(shown port) port {
	if !p.pairs {
		shown.AllowedAddressPairs = nil
	}
	return shown
}

// ipv4 is the first IPv4 address of a port; empty without one.
func (p port) ipv4() string {
	for _, ip := range p.FixedIPs {
		if addr, err := netip.ParseAddr(ip.IPAddress); err == nil && addr.Is4() {
			return ip.IPAddress
		}
	}
	return ""
}
