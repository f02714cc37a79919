package neutron

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// createPortRequest is a port to create, which then exists by itself.
type createPortRequest struct {
	Port *portSpec `json:"port"`
}

type portSpec struct {
	NetworkID      string     `json:"network_id"`
	Name           string     `json:"name"`
	Description    string     `json:"description"`
	DeviceID       string     `json:"device_id"`
	DeviceOwner    string     `json:"device_owner"`
	ProjectID      string     `json:"project_id"`
	TenantID       string     `json:"tenant_id"`
	FixedIPs       *[]fixedIP `json:"fixed_ips"`
	SecurityGroups []string   `json:"security_groups"`
	AdminStateUp   *bool      `json:"admin_state_up"`
	VNICType       string     `json:"binding:vnic_type"`
	// MACAddress, PortSecurityEnabled false and AllowedAddressPairs are refused.
	MACAddress          string        `json:"mac_address"`
	PortSecurityEnabled *bool         `json:"port_security_enabled"`
	AllowedAddressPairs []addressPair `json:"allowed_address_pairs"`
}

// createPort makes a port that exists by itself, and reserves its fixed addresses.
func createPort(c service.Call, in createPortRequest) (any, *simcloud.Meta, error) {
	if in.Port == nil {
		return nil, nil, service.Wrong("port", "must be an object with network_id")
	}
	spec := *in.Port
	if err := spec.check(c); err != nil {
		return nil, nil, err
	}
	reserved, err := spec.reservations(c)
	if err != nil {
		return nil, nil, err
	}
	name, err := freeName(c, service.LegalName(spec.Name, service.PortDocument))
	if err != nil {
		return nil, nil, err
	}
	body, err := json.Marshal(keptPort{
		Name: spec.Name, Description: spec.Description, NetworkID: spec.NetworkID, DeviceID: spec.DeviceID, DeviceOwner: spec.DeviceOwner, SecurityGroups: spec.SecurityGroups,
	})
	if err != nil {
		return nil, nil, err
	}
	made, err := c.Cloud.CreateDocument(c.Ctx(), simcloud.DocumentSpec{
		Name: name, Dialect: service.DialectName, Type: service.PortDocument, Body: body, Reserved: reserved,
	})
	if err != nil {
		return nil, nil, addressFailure(spec, err)
	}
	shown, err := portAt(c, service.Ports.UUID(made.Resource.ID))
	return map[string]any{"port": shown}, &made.Resource.Meta, err
}

// check judges what a request says apart from addresses.
func (s portSpec) check(c service.Call) error {
	unsupported := func(what string) error {
		return refuse(simcloud.Unimplemented, http.StatusNotImplemented, "HTTPNotImplemented", "simcloud does not simulate %s of ports", what)
	}
	switch {
	case s.NetworkID == "":
		return service.Wrong("port.network_id", "must not be empty: give the id of a network")
	case s.AdminStateUp != nil && !*s.AdminStateUp:
		return unsupported("admin_state_up false")
	case s.PortSecurityEnabled != nil && !*s.PortSecurityEnabled:
		return unsupported("port_security_enabled false")
	case s.VNICType != "" && s.VNICType != "normal":
		return unsupported("a binding:vnic_type other than normal")
	case s.MACAddress != "":
		return unsupported("a chosen mac_address")
	case len(s.AllowedAddressPairs) > 0:
		return unsupported("allowed_address_pairs at the creation")
	}
	if err := ownProject(c, s.ProjectID, s.TenantID); err != nil {
		return err
	}
	for _, uuid := range s.SecurityGroups {
		if _, err := groupAt(c, uuid); err != nil {
			return err
		}
	}
	return nil
}

// reservations are the addresses that a port is to have: those of the request, or else one of the first subnet of each family.
func (s portSpec) reservations(c service.Call) ([]simcloud.Reservation, error) {
	p, err := planOf(c)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(p.networks, func(n simcloud.Network) bool { return service.Networks.UUID(n.ID) == s.NetworkID })
	if i < 0 {
		return nil, missing("NetworkNotFound", "Network", s.NetworkID)
	}
	network, subnets := p.networks[i], p.subnetsOf(p.networks[i])
	var all []simcloud.Reservation
	if s.FixedIPs == nil {
		families := map[int]bool{}
		for _, sub := range subnets {
			if !families[sub.IPVersion] {
				all = append(all, simcloud.Reservation{Network: network.ID, Subnet: service.Subnets.ID(sub.ID), Family: sub.IPVersion})
			}
			families[sub.IPVersion] = true
		}
		return all, nil
	}
	for _, ip := range *s.FixedIPs {
		r, err := ip.reservation(network, subnets)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// reservation is a fixed address of a request, in a network with subnets.
func (ip fixedIP) reservation(network simcloud.Network, subnets []subnet) (simcloud.Reservation, error) {
	r := simcloud.Reservation{Network: network.ID, Address: ip.IPAddress}
	if _, err := netip.ParseAddr(ip.IPAddress); err != nil && ip.IPAddress != "" {
		return r, service.Wrong("port.fixed_ips.ip_address", "%q is not an IP address", clip(ip.IPAddress))
	}
	if ip.SubnetID == "" && ip.IPAddress == "" {
		return r, service.Wrong("port.fixed_ips", "must have subnet_id or ip_address")
	}
	if ip.SubnetID == "" {
		return r, nil
	}
	at := slices.IndexFunc(subnets, func(s subnet) bool { return s.ID == ip.SubnetID })
	if at < 0 {
		return r, missing("SubnetNotFound", "Subnet", ip.SubnetID)
	}
	sub := subnets[at]
	if addr, err := netip.ParseAddr(ip.IPAddress); err == nil && !inRange(sub.CIDR, addr) {
		return r, refuse(simcloud.Invalid, http.StatusBadRequest, "InvalidIpForSubnet", "IP address %s is not a valid IP for the specified subnet.", ip.IPAddress)
	}
	r.Subnet, r.Family = service.Subnets.ID(ip.SubnetID), sub.IPVersion
	whole := func(s subnet) bool { return s.IPVersion == sub.IPVersion && service.Subnets.ID(s.ID) == "" }
	if first := slices.IndexFunc(subnets, whole); r.Subnet == "" && r.Address == "" && first != at {
		return r, refuse(simcloud.Unimplemented, http.StatusNotImplemented, "HTTPNotImplemented",
			"simcloud chooses addresses of the first range of a network alone: give ip_address for subnet %s", ip.SubnetID)
	}
	return r, nil
}

// addressFailure is the error of Neutron for an address that a port cannot have.
func addressFailure(s portSpec, err error) error {
	if simcloud.CodeOf(err) != simcloud.AlreadyExists {
		return err
	}
	return refuse(simcloud.AlreadyExists, http.StatusConflict, "IpAddressAlreadyAllocated", "IP address already allocated in network %s: %v", s.NetworkID, err)
}

// freeName is a name that no port has: Neutron lets two ports have one name, the cloud does not.
func freeName(c service.Call, name string) (string, error) {
	documents, err := service.All(c, c.Cloud.ListDocuments)
	if err != nil {
		return "", err
	}
	const longest = 240 // which leaves room for a number
	free := name
	for n := 2; slices.ContainsFunc(documents, func(d simcloud.Document) bool { return service.IsPort(d) && d.Name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name[:min(len(name), longest)], n)
	}
	return free, nil
}

// deletePort deletes a port that exists by itself and that nothing uses.
func deletePort(c service.Call) (any, *simcloud.Meta, error) {
	p, err := portAt(c, c.UUID)
	if err != nil {
		return nil, nil, err
	}
	d, _, err := keptDocument(c, c.UUID)
	switch {
	case simcloud.CodeOf(err) == simcloud.NotFound:
		return nil, nil, refuse(simcloud.Unimplemented, http.StatusNotImplemented, "HTTPNotImplemented",
			"simcloud deletes ports that were created alone: port %s is of %q", p.ID, p.DeviceOwner)
	case err != nil:
		return nil, nil, err
	case p.owner.Kind != simcloud.KindDocument:
		return nil, nil, refuse(simcloud.InUse, http.StatusConflict, "PortInUse",
			"Unable to complete operation on port %s for network %s. Port already has an attached device %s.", p.ID, p.NetworkID, p.DeviceID)
	}
	_, err = c.Cloud.DeleteDocument(c.Ctx(), d.ID)
	return nil, &d.Meta, err
}

// keptChange is what can be changed of a port that exists by itself.
type keptChange struct {
	Name        given[string] `json:"name"`
	Description given[string] `json:"description"`
	DeviceID    given[string] `json:"device_id"`
	DeviceOwner given[string] `json:"device_owner"`
}

func (k keptChange) there() bool {
	return k.Name.there || k.Description.there || k.DeviceID.there || k.DeviceOwner.there
}

// updateKept changes the document of a port.
func updateKept(c service.Call, edit func(*keptPort)) (*simcloud.Meta, error) {
	d, says, err := keptDocument(c, c.UUID)
	if err != nil {
		return nil, err
	}
	edit(&says)
	body, err := json.Marshal(says)
	if err != nil {
		return nil, err
	}
	raw := json.RawMessage(body)
	changed, err := c.Cloud.UpdateDocument(c.Ctx(), d.ID, simcloud.DocumentUpdate{Body: &raw})
	return &changed.Resource.Meta, err
}

// apply changes what a request names.
func (k keptChange) apply(to *keptPort) {
	for _, change := range []struct {
		to   *string
		from given[string]
	}{{&to.Name, k.Name}, {&to.Description, k.Description}, {&to.DeviceID, k.DeviceID}, {&to.DeviceOwner, k.DeviceOwner}} {
		if change.from.there {
			*change.to = change.from.value
		}
	}
}
