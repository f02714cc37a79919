package neutron

import (
	"cmp"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// floatingIP is a floating IP of the cloud.
type floatingIP struct {
	standard
	NetworkID string  `json:"floating_network_id"`
	Address   string  `json:"floating_ip_address"`
	PortID    *string `json:"port_id"`
	FixedIP   *string `json:"fixed_ip_address"`
	RouterID  *string `json:"router_id"`
	Status    string  `json:"status"`
}

// The options of a floating IP.
const (
	optionDescription = "description"
	// optionNetwork is the network of the port, of an instance.
	optionNetwork = "port-network"
)

// ends are what floating IPs can lead to.
type ends struct {
	ports
	tables []simcloud.RouteTable
}

func endsOf(c service.Call) (e ends, err error) {
	if e.ports, err = portsOf(c); err != nil {
		return e, err
	}
	e.tables, err = service.All(c, c.Cloud.ListRouteTables)
	return e, err
}

// show is a floating IP with the port that it leads to, if it leads to one.
func (e ends) show(f simcloud.FloatingIP, to []port) floatingIP {
	shown := floatingIP{
		standard: standardOf(service.FloatingIPs.UUID(f.ID), f.Meta), NetworkID: poolNetwork(f.Pool), Address: f.Address, Status: "DOWN",
	}
	shown.Description = f.Options[optionDescription]
	p, attached := endOf(f, to)
	if !attached {
		return shown
	}
	shown.Status, shown.PortID, shown.FixedIP = active, &p.ID, textOrNull(p.ipv4())
	if i := slices.IndexFunc(e.tables, func(t simcloud.RouteTable) bool { return t.Network == p.network }); i >= 0 {
		router := service.Routers.UUID(e.tables[i].ID)
		shown.RouterID = &router
	}
	return shown
}

// endOf finds the port that a floating IP leads to: of the ports of an instance the one in the network that the floating IP has
// as an option, or else the first.
func endOf(f simcloud.FloatingIP, of []port) (port, bool) {
	own := slices.DeleteFunc(slices.Clone(of), func(p port) bool { return f.AttachedTo.ID == "" || p.owner != f.AttachedTo })
	if len(own) == 0 {
		return port{}, false
	}
	network := cmp.Or(simcloud.ID(f.Options[optionNetwork]), own[0].network)
	i := slices.IndexFunc(own, func(p port) bool { return p.network == network })
	return own[max(i, 0)], true
}

// endPorts are the ports of what a floating IP is attached to.
func (e ends) endPorts(c service.Call, f simcloud.FloatingIP) ([]port, error) {
	switch f.AttachedTo.Kind {
	case simcloud.KindInstance:
		return e.ofInstance(c, f.AttachedTo.ID)
	case simcloud.KindLoadBalancer:
		return e.ofBalancer(c, f.AttachedTo.ID)
	default:
		return nil, nil
	}
}

// allFloatingIPs are those of the project.
func allFloatingIPs(c service.Call) ([]floatingIP, error) {
	fips, err := service.All(c, c.Cloud.ListFloatingIPs)
	if err != nil {
		return nil, err
	}
	e, err := endsOf(c)
	if err != nil {
		return nil, err
	}
	var all []floatingIP
	for _, f := range fips {
		of, err := e.endPorts(c, f)
		if err != nil {
			return nil, err
		}
		all = append(all, e.show(f, of))
	}
	return all, nil
}

func floatingIPFilters() filters[floatingIP] {
	optional := func(of func(floatingIP) *string) func(floatingIP) []string {
		return func(f floatingIP) []string {
			if text := of(f); text != nil {
				return []string{*text}
			}
			return nil
		}
	}
	return filters[floatingIP]{
		"floating_network_id": one(func(f floatingIP) string { return f.NetworkID }),
		"floating_ip_address": one(func(f floatingIP) string { return f.Address }),
		"status":              one(func(f floatingIP) string { return f.Status }),
		"port_id":             optional(func(f floatingIP) *string { return f.PortID }),
		"fixed_ip_address":    optional(func(f floatingIP) *string { return f.FixedIP }),
		"router_id":           optional(func(f floatingIP) *string { return f.RouterID }),
	}
}

func getFloatingIP(c service.Call) (any, error) {
	f, err := c.Cloud.GetFloatingIP(c.Ctx(), c.ID)
	if err != nil {
		return nil, err
	}
	return showFloatingIP(c, f)
}

// showFloatingIP is the answer about one floating IP.
func showFloatingIP(c service.Call, f simcloud.FloatingIP) (any, error) {
	e, err := endsOf(c)
	if err != nil {
		return nil, err
	}
	of, err := e.endPorts(c, f)
	return map[string]any{"floatingip": e.show(f, of)}, err
}
