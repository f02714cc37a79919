package octavia

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// additionalVIP is a VIP beside the first.
type additionalVIP struct {
	SubnetID  string `json:"subnet_id"`
	IPAddress string `json:"ip_address"`
}

// place is where a load balancer gets its VIP: an address of a network, or those of a port.
type place struct {
	network     simcloud.ID
	networks    []simcloud.NetworkAttachment
	reservation simcloud.ID
	subnet      string
}

// place is where the request wants the VIP.
func (s balancerSpec) place(c service.Call) (place, error) {
	if s.VIPPortID != "" {
		return s.port(c)
	}
	to, subnet, err := s.attachment(c)
	return place{network: to.Network, networks: []simcloud.NetworkAttachment{to}, subnet: subnet}, err
}

// port is the place of a load balancer whose VIP is that of a port of Neutron. The port stays when the load balancer is gone.
func (s balancerSpec) port(c service.Call) (place, error) {
	id := service.Ports.ID(s.VIPPortID)
	var d simcloud.Document
	var err error
	if id != "" {
		d, err = c.Cloud.GetDocument(c.Ctx(), id)
	}
	switch {
	case id == "" || simcloud.CodeOf(err) == simcloud.NotFound || err == nil && !service.IsPort(d):
		return place{}, service.Refuse(simcloud.NotFound, service.Code{Status: http.StatusNotFound}, "Port %.60s not found.", s.VIPPortID)
	case err != nil:
		return place{}, err
	case len(d.Reserved) == 0:
		return place{}, bad("port %s has no fixed address", s.VIPPortID)
	case s.VIPAddress != "" && simcloud.PlainAddress(s.VIPAddress) != d.Reserved[0].Address:
		return place{}, bad("vip_address %s is not the address of the port %s", s.VIPAddress, s.VIPPortID)
	case s.VIPNetworkID != "" && service.Networks.ID(s.VIPNetworkID) != d.Reserved[0].Network:
		return place{}, bad("vip_network_id %.60s is not the network of the port %s", s.VIPNetworkID, s.VIPPortID)
	}
	subnet, err := subnetOf(c, d.Reserved[0])
	if err == nil && s.VIPSubnetID != "" && s.VIPSubnetID != subnet {
		err = bad("vip_subnet_id %.60s is not the subnet of the port %s", s.VIPSubnetID, s.VIPPortID)
	}
	return place{network: d.Reserved[0].Network, reservation: d.ID, subnet: subnet}, err
}

// subnetOf is the id of the subnet of an address that a port has.
func subnetOf(c service.Call, r simcloud.Reservation) (string, error) {
	if r.Subnet != "" {
		return service.Subnets.UUID(r.Subnet), nil
	}
	network, err := c.Cloud.GetNetwork(c.Ctx(), r.Network)
	return service.WholeSubnets.UUIDOfPart(r.Network, balancerSpec{VIPAddress: r.Address}.rangeOf(network)), err
}

// additionalVIPs are the VIPs beside the first that a load balancer has of its port.
func (t tree) additionalVIPs() []additionalVIP {
	all, first := []additionalVIP{}, true
	for _, vip := range t.VIPs {
		if vip.Document == "" {
			continue
		}
		if !first {
			shown := additionalVIP{IPAddress: vip.Address}
			if vip.Subnet != "" {
				shown.SubnetID = service.Subnets.UUID(vip.Subnet)
			}
			all = append(all, shown)
		}
		first = false
	}
	return all
}
