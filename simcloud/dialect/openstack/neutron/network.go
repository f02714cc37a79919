package neutron

import (
	"slices"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// network is a network of the cloud, or a pool of floating IPs, which is an external network.
type network struct {
	standard
	Name                  string   `json:"name"`
	AdminStateUp          bool     `json:"admin_state_up"`
	Status                string   `json:"status"`
	Shared                bool     `json:"shared"`
	External              bool     `json:"router:external"`
	Subnets               []string `json:"subnets"`
	MTU                   int      `json:"mtu"`
	PortSecurityEnabled   bool     `json:"port_security_enabled"`
	AvailabilityZoneHints []string `json:"availability_zone_hints"`
	AvailabilityZones     []string `json:"availability_zones"`
}

// active is the status of what works.
const active = "ACTIVE"

// mtu is the largest packet of a network.
const mtu = 1500

// poolNetwork is the id of the external network that a pool is.
func poolNetwork(pool string) string { return service.NamedUUID("network", pool) }

// newNetwork is a network with subnets.
func newNetwork(uuid string, m simcloud.Meta, subnets []subnet, external bool) network {
	n := network{
		standard: standardOf(uuid, m), Name: nameOf(m), AdminStateUp: true, Status: active, External: external, Subnets: []string{},
		MTU: mtu, PortSecurityEnabled: true, AvailabilityZoneHints: []string{}, AvailabilityZones: []string{},
	}
	for _, s := range subnets {
		n.Subnets = append(n.Subnets, s.ID)
	}
	return n
}

// allNetworks are those of the project, and then the external ones.
func allNetworks(c service.Call) ([]network, error) {
	p, err := planOf(c)
	if err != nil {
		return nil, err
	}
	pools, err := service.All(c, c.Cloud.ListFloatingIPPools)
	if err != nil {
		return nil, err
	}
	var all []network
	for _, n := range p.networks {
		all = append(all, newNetwork(service.Networks.UUID(n.ID), n.Meta, p.subnetsOf(n), false))
	}
	for _, pool := range pools {
		all = append(all, newNetwork(poolNetwork(pool.Name), pool.Meta, []subnet{poolSubnet(pool)}, true))
	}
	return all, nil
}

func networkFilters() filters[network] {
	return filters[network]{
		"name":            one(func(n network) string { return n.Name }),
		"status":          one(func(n network) string { return n.Status }),
		"admin_state_up":  one(func(n network) string { return strconv.FormatBool(n.AdminStateUp) }),
		"shared":          one(func(n network) string { return strconv.FormatBool(n.Shared) }),
		"router:external": one(func(n network) string { return strconv.FormatBool(n.External) }),
	}
}

func getNetwork(c service.Call) (any, error) {
	all, err := allNetworks(c)
	return found(c, "network", all, err)
}

// found answers the item that a request names.
func found[T listed](c service.Call, name string, all []T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(item T) bool { return item.get().ID == c.UUID })
	if i < 0 {
		return nil, simcloud.Errorf(simcloud.NotFound, "", "%s %q not found", name, clip(c.UUID))
	}
	return map[string]any{name: all[i]}, nil
}
