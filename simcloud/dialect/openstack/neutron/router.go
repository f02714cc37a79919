package neutron

import (
	"net/netip"
	"slices"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// router is a route table of the cloud. It is in all subnets of the table's network, and its gateway is the first external network of IPv4.
type router struct {
	standard
	Name                  string       `json:"name"`
	AdminStateUp          bool         `json:"admin_state_up"`
	Status                string       `json:"status"`
	Distributed           bool         `json:"distributed"`
	HA                    bool         `json:"ha"`
	Gateway               *gateway     `json:"external_gateway_info"`
	Routes                []extraRoute `json:"routes"`
	AvailabilityZoneHints []string     `json:"availability_zone_hints"`
	AvailabilityZones     []string     `json:"availability_zones"`
	FlavorID              *string      `json:"flavor_id"`
}

// gateway is how a router reaches an external network.
type gateway struct {
	NetworkID        string    `json:"network_id"`
	EnableSNAT       bool      `json:"enable_snat"`
	ExternalFixedIPs []fixedIP `json:"external_fixed_ips"` // none: the cloud has no address for it
}

// routing is what it takes to show routers.
type routing struct {
	plan
	gateway *gateway
	// instances are those of the routers' networks.
	instances []simcloud.Instance
}

// routingOf reads what it takes to show the router of a network, or all routers.
func routingOf(c service.Call, network simcloud.ID) (r routing, err error) {
	if r.plan, err = planOf(c); err != nil {
		return r, err
	}
	pools, err := service.All(c, c.Cloud.ListFloatingIPPools)
	if err != nil {
		return r, err
	}
	r.gateway = gatewayOf(pools)
	opts := simcloud.ListOptions{PageSize: simcloud.MaxPageSize}
	if network != "" {
		opts.RefersTo = simcloud.Ref(simcloud.KindNetwork, network)
	}
	r.instances, err = simcloud.ListAll(c.Ctx(), c.Cloud.ListInstances, opts)
	return r, err
}

// gatewayOf is the gateway of every router; nil where there are no external networks of IPv4.
func gatewayOf(pools []simcloud.FloatingIPPool) *gateway {
	for _, pool := range pools {
		if prefix, err := netip.ParsePrefix(pool.CIDR); err == nil && prefix.Addr().Is4() {
			return &gateway{NetworkID: poolNetwork(pool.Name), EnableSNAT: true, ExternalFixedIPs: []fixedIP{}}
		}
	}
	return nil
}

// show is a router.
func (r routing) show(t simcloud.RouteTable) router {
	shown := router{
		standard: standardOf(service.Routers.UUID(t.ID), t.Meta), Name: nameOf(t.Meta), AdminStateUp: true, Status: active,
		Gateway: r.gateway, Routes: []extraRoute{}, AvailabilityZoneHints: []string{}, AvailabilityZones: []string{},
	}
	for _, route := range t.Routes {
		if hop := r.hop(t.Network, route); hop != "" {
			shown.Routes = append(shown.Routes, extraRoute{route.Destination, hop})
		}
	}
	return shown
}

// allRouters are those of the project.
func allRouters(c service.Call) ([]router, error) {
	tables, err := service.All(c, c.Cloud.ListRouteTables)
	if err != nil {
		return nil, err
	}
	r, err := routingOf(c, "")
	var all []router
	for _, t := range tables {
		all = append(all, r.show(t))
	}
	return all, err
}

func routerFilters() filters[router] {
	return filters[router]{
		"name":           one(func(r router) string { return r.Name }),
		"status":         one(func(r router) string { return r.Status }),
		"admin_state_up": one(func(r router) string { return strconv.FormatBool(r.AdminStateUp) }),
	}
}

func getRouter(c service.Call) (any, error) {
	t, err := c.Cloud.GetRouteTable(c.Ctx(), c.ID)
	if err != nil {
		return nil, err
	}
	return showRouter(c, t)
}

// showRouter is the answer about one router.
func showRouter(c service.Call, t simcloud.RouteTable) (any, error) {
	r, err := routingOf(c, t.Network)
	return map[string]any{"router": r.show(t)}, err
}

type updateRouterRequest struct {
	Router *struct {
		Name   *string       `json:"name"`
		Routes *[]extraRoute `json:"routes"`
	} `json:"router"`
}

// updateRouter renames a router, or replaces all of its routes.
func updateRouter(c service.Call, in updateRouterRequest) (any, *simcloud.Meta, error) {
	if in.Router == nil {
		return nil, nil, service.Wrong("router", "must be an object with the attributes to change")
	}
	if in.Router.Name != nil {
		if err := renameRouter(c, *in.Router.Name); err != nil {
			return nil, nil, err
		}
	}
	if in.Router.Routes == nil {
		return answerRouter(c)
	}
	return reroute(c, *in.Router.Routes, func(r routing, t simcloud.RouteTable, wanted []extraRoute) ([]simcloud.ID, []extraRoute) {
		var gone []simcloud.ID
		for _, have := range t.Routes {
			if !slices.ContainsFunc(wanted, func(w extraRoute) bool { return r.is(t.Network, have, w) }) {
				gone = append(gone, have.ID)
			}
		}
		return gone, wanted
	})
}

func renameRouter(c service.Call, text string) error {
	t, err := c.Cloud.GetRouteTable(c.Ctx(), c.ID)
	if err != nil {
		return err
	}
	name, labels := keepName(text, "router", t.Labels)
	_, err = c.Cloud.UpdateRouteTable(c.Ctx(), c.ID, simcloud.RouteTableUpdate{Name: &name, Labels: &labels})
	return err
}

// answerRouter is the answer to a change of a router.
func answerRouter(c service.Call) (any, *simcloud.Meta, error) {
	t, err := c.Cloud.GetRouteTable(c.Ctx(), c.ID)
	if err != nil {
		return nil, nil, err
	}
	shown, err := showRouter(c, t)
	return shown, &t.Meta, err
}
