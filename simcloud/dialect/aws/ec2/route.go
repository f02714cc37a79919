package ec2

import (
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// returned is the answer to an action that only succeeds.
type returned struct {
	Return bool `aws:"return"`
}

// aboutTable: the actions of routes are about the route table that they name.
func aboutTable(f query.Form) (core string, id simcloud.ID) {
	core = "CreateRoute"
	if f.Action == "DeleteRoute" {
		core = "DeleteRoute"
	}
	return core, tableNamed(f.Text("RouteTableId"))
}

// tableNamed is the route table of the cloud that an id stands for; empty for one that is not an id of a table.
func tableNamed(id string) simcloud.ID { return service.FromNumber(tablePrefix, id, routeTablePrefix) }

type createRouteRequest struct {
	Table    string `aws:"RouteTableId,required"`
	CIDR     string `aws:"DestinationCidrBlock,required"`
	Instance string `aws:"InstanceId,required"`
}

func createRoute(c service.Call, in createRouteRequest) (out returned, _ *simcloud.Meta, err error) {
	destination, err := destinationOf(in.CIDR)
	if err != nil {
		return out, nil, err
	}
	table, network, err := table(c, in.Table)
	if err != nil {
		return out, nil, err
	}
	for _, r := range derivedRoutes(network) {
		if r.CIDR == destination {
			return out, nil, service.Refuse(simcloud.AlreadyExists, "RouteAlreadyExists", "The route identified by %s already exists.", destination)
		}
	}
	if _, err := inNetwork(c, in.Instance); err != nil {
		return out, nil, err
	}
	made, err := c.Cloud.CreateRoute(c.Ctx(), table.ID, simcloud.RouteSpec{
		Destination: destination, NextHop: simcloud.NextHop{Instance: simcloud.ID(in.Instance)},
	})
	if err != nil {
		return out, nil, err
	}
	return returned{true}, &made.Resource.Meta, nil
}

// destinationOf reads a destination as EC2 does, which takes the network of an address within it.
func destinationOf(cidr string) (string, error) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil || !prefix.Addr().Is4() {
		return "", service.Refuse(simcloud.Invalid, "InvalidParameterValue", "Value (%s) for parameter destinationCidrBlock is invalid. This is not a valid IPv4 CIDR block.", query.Clip(cidr))
	}
	return prefix.Masked().String(), nil
}

// table returns a route table by its id, and its network.
func table(c service.Call, id string) (t simcloud.RouteTable, n simcloud.Network, err error) {
	core := tableNamed(id)
	if core == "" {
		return t, n, noTable(id)
	}
	t, err = c.Cloud.GetRouteTable(c.Ctx(), core)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		err = noTable(id)
	}
	if err != nil {
		return t, n, err
	}
	n, err = c.Cloud.GetNetwork(c.Ctx(), t.Network)
	return t, n, err
}

func noTable(id string) error {
	return service.Refuse(simcloud.NotFound, "InvalidRouteTableID.NotFound", "The routeTable ID '%s' does not exist", query.Clip(id))
}

type deleteRouteRequest struct {
	Table string `aws:"RouteTableId,required"`
	CIDR  string `aws:"DestinationCidrBlock,required"`
}

func deleteRoute(c service.Call, in deleteRouteRequest) (out returned, _ *simcloud.Meta, err error) {
	destination, err := destinationOf(in.CIDR)
	if err != nil {
		return out, nil, err
	}
	table, network, err := table(c, in.Table)
	if err != nil {
		return out, nil, err
	}
	i := slices.IndexFunc(table.Routes, func(r simcloud.Route) bool { return r.Destination == destination })
	if i < 0 {
		return out, nil, noRoute(network, in.Table, destination)
	}
	changed, err := c.Cloud.DeleteRoute(c.Ctx(), table.ID, table.Routes[i].ID)
	if err != nil {
		return out, nil, err
	}
	return returned{true}, &changed.Resource.Meta, nil
}

// noRoute is the error for a route that cannot be removed: it is derived, or is not there.
func noRoute(n simcloud.Network, table, destination string) error {
	for _, r := range derivedRoutes(n) {
		if r.CIDR == destination {
			return service.Refuse(simcloud.Invalid, "InvalidParameterValue", "cannot remove the route %s to %s in route table %s", destination, r.GatewayID, table)
		}
	}
	return service.Refuse(simcloud.NotFound, "InvalidRoute.NotFound", "no route with destination-cidr-block %s in route table %s", destination, table)
}
