package ec2

import (
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeRouteTablesRequest struct {
	IDs     []string         `aws:"RouteTableId"`
	Filters []service.Filter `aws:"Filter"`
	service.Pages
}

type routeTables struct {
	Tables    []routeTable `aws:"routeTableSet"`
	NextToken string       `aws:"nextToken"`
}

// routeTable is a route table as EC2 shows it.
type routeTable struct {
	ID           string             `aws:"routeTableId"`
	VPCID        string             `aws:"vpcId"`
	OwnerID      string             `aws:"ownerId"`
	Routes       []route            `aws:"routeSet"`
	Associations []tableAssociation `aws:"associationSet"`
	Tags         []service.Tag      `aws:"tagSet"`
	tags         map[string]string  // as Tags
}

// tableAssociation is what a table is for: here all subnets that have no table of their own.
type tableAssociation struct {
	ID      string           `aws:"routeTableAssociationId"`
	TableID string           `aws:"routeTableId"`
	Main    bool             `aws:"main"`
	State   associationState `aws:"associationState"`
}

type associationState struct {
	State string `aws:"state"`
}

// route is a route as EC2 shows it.
type route struct {
	CIDR            string `aws:"destinationCidrBlock"`
	IPv6CIDR        string `aws:"destinationIpv6CidrBlock"`
	GatewayID       string `aws:"gatewayId"`
	InstanceID      string `aws:"instanceId"`
	InstanceOwnerID string `aws:"instanceOwnerId"`
	InterfaceID     string `aws:"networkInterfaceId"`
	State           string `aws:"state"`
	Origin          string `aws:"origin"`
}

// Where a route comes from, and what the CIDR of a route to everywhere is.
const (
	originTable  = "CreateRouteTable" // it is there from the beginning
	originRoute  = "CreateRoute"
	everywhere   = "0.0.0.0/0"
	localGateway = "local"
)

// tablePages is how many route tables a page has.
var tablePages = service.PageSize{Least: 5, Most: 100}

func describeRouteTables(c service.Call, in describeRouteTablesRequest) (out routeTables, err error) {
	all, err := allTables(c)
	if err != nil {
		return out, err
	}
	if all, err = service.WithIDs(all, in.IDs, func(t routeTable) string { return t.ID }, "InvalidRouteTableID.NotFound", "routeTable"); err != nil {
		return out, err
	}
	if all, err = tableFilters.Choose(all, in.Filters); err != nil {
		return out, err
	}
	out.Tables, out.NextToken, err = service.Cut(c, all, func(t routeTable) string { return t.ID }, in.Pages, tablePages, []any{in.IDs, in.Filters})
	return out, err
}

// allTables are those of the cloud, and for each network without any a derived one.
func allTables(c service.Call) ([]routeTable, error) {
	networks, err := service.All(c, c.Cloud.ListNetworks)
	if err != nil {
		return nil, err
	}
	tables, err := service.All(c, c.Cloud.ListRouteTables)
	if err != nil {
		return nil, err
	}
	var all []routeTable
	for _, n := range networks {
		own := slices.DeleteFunc(slices.Clone(tables), func(t simcloud.RouteTable) bool { return t.Network != n.ID })
		if len(own) == 0 {
			meta := simcloud.Meta{Name: n.Name, Labels: n.Labels, Project: n.Project}
			all = append(all, newTable(derivedTable(n.ID), meta, n, nil, true))
		}
		for i, t := range own {
			all = append(all, newTable(tableID(t.ID), t.Meta, n, t.Routes, i == 0))
		}
	}
	return all, nil
}

// tableID is the id of a route table.
func tableID(id simcloud.ID) string { return service.Numbered(tablePrefix, id) }

// derivedTable is the id of the table of a network that has none. It has the routes that each table has, and takes no others.
func derivedTable(network simcloud.ID) string { return service.Numbered(tablePrefix+"main-", network) }

// newTable shows a table of a network. The first one is the main table.
func newTable(id string, meta simcloud.Meta, n simcloud.Network, routes []simcloud.Route, main bool) routeTable {
	tags := service.Tags(meta)
	t := routeTable{
		ID: id, VPCID: vpcID(n.ID), OwnerID: service.Account(meta.Project), Tags: service.TagList(tags), tags: tags,
		Routes: derivedRoutes(n),
	}
	if main {
		t.Associations = []tableAssociation{{
			ID: service.Numbered("rtbassoc-", n.ID), TableID: id, Main: true, State: associationState{"associated"},
		}}
	}
	for _, r := range routes {
		t.Routes = slices.DeleteFunc(t.Routes, func(derived route) bool { return derived.CIDR == r.Destination })
		t.Routes = append(t.Routes, routeOf(r, t.OwnerID))
	}
	return t
}

// derivedRoutes are those that each table of a network has: to the network itself, and to the internet.
func derivedRoutes(n simcloud.Network) []route {
	var routes []route
	for _, cidr := range n.CIDRs {
		r := route{GatewayID: localGateway, State: "active", Origin: originTable}
		if prefix, err := netip.ParsePrefix(cidr); err == nil && prefix.Addr().Is6() {
			r.IPv6CIDR = cidr
		} else {
			r.CIDR = cidr
		}
		routes = append(routes, r)
	}
	return append(routes, route{CIDR: everywhere, GatewayID: service.Numbered("igw-", n.ID), State: "active", Origin: originRoute})
}

// routeOf shows a route. A blackhole has no instance, which DescribeInstances would not know, and EC2 has no
// routes to addresses: such a route has only its destination.
func routeOf(r simcloud.Route, owner string) route {
	shown := route{State: "active", Origin: originRoute}
	if prefix, err := netip.ParsePrefix(r.Destination); err == nil && prefix.Addr().Is6() {
		shown.IPv6CIDR = r.Destination
	} else {
		shown.CIDR = r.Destination
	}
	switch {
	case r.State == simcloud.RouteBlackhole:
		shown.State = "blackhole"
	case r.NextHop.Instance != "":
		shown.InstanceID, shown.InstanceOwnerID, shown.InterfaceID = string(r.NextHop.Instance), owner, interfaceID(r.NextHop.Instance, 0)
	}
	return shown
}

// tableFilters are the filters of route tables.
var tableFilters = service.Filters[routeTable]{
	Tags: func(t routeTable) map[string]string { return t.tags },
	Facts: map[string]service.Facts[routeTable]{
		"association.main": func(t routeTable) []string {
			if len(t.Associations) > 0 {
				return []string{"true"}
			}
			return []string{"false"}
		},
		"route-table-id":               func(t routeTable) []string { return []string{t.ID} },
		"route.destination-cidr-block": destinations,
		"route.gateway-id":             func(t routeTable) []string { return each(t.Routes, func(r route) string { return r.GatewayID }) },
		"route.instance-id":            func(t routeTable) []string { return each(t.Routes, func(r route) string { return r.InstanceID }) },
		"vpc-id":                       func(t routeTable) []string { return []string{t.VPCID} },
	},
}

func destinations(t routeTable) []string {
	return each(t.Routes, func(r route) string { return r.CIDR })
}

// each are the texts that routes have; those that are empty are left out.
func each(routes []route, of func(route) string) []string {
	var texts []string
	for _, r := range routes {
		texts = append(texts, one(of(r))...)
	}
	return texts
}
