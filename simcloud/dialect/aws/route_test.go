package aws_test

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const (
	inTable = "routeTableSet/item/"
	inRoute = inTable + "routeSet/item/"
)

// withTables returns the tables of the first network, of which there is one at least.
func (w world) withTables() []simcloud.RouteTable {
	w.Helper()
	all := must[[]simcloud.RouteTable](w)(simcloud.ListAll(w.Context(), w.native.ListRouteTables, simcloud.ListOptions{}))
	if len(all) == 0 {
		all = append(all, w.table(simcloud.RouteTableSpec{Name: "routes"}))
	}
	return all
}

// TestRouteTables: the first table of a network is its main one, and each has a route to the network and one to the internet.
func TestRouteTables(t *testing.T) {
	t.Parallel()
	w := open(t)
	network := must[simcloud.Network](t)(w.native.GetNetwork(t.Context(), "net-1"))
	first := w.withTables()[0]
	second := w.table(simcloud.RouteTableSpec{Name: "second", Labels: map[string]string{"kubernetes.io/cluster/other": ""}})
	must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "bare", CIDRs: []string{"192.168.0.0/16"}}))
	id := func(table simcloud.RouteTable) string { return "rtb-" + strings.TrimPrefix(string(table.ID), "rt-") }
	w.does(ec2, "DescribeRouteTables").has(inTable+"routeTableId", id(first)+" "+id(second)+" rtb-main-2", inTable+"vpcId", "vpc-1 vpc-1 vpc-2",
		inTable+"associationSet/item/routeTableId", id(first)+" rtb-main-2", inTable+"associationSet/item/main", "true true")
	one := w.does(ec2, "DescribeRouteTables", "Filter.1.Name", "route-table-id", "Filter.1.Value.1", id(first))
	destinations, gateways := []string{}, []string{}
	for range network.CIDRs {
		gateways = append(gateways, "local")
	}
	for _, cidr := range network.CIDRs {
		if !strings.Contains(cidr, ":") {
			destinations = append(destinations, cidr)
		}
	}
	one.has(inRoute+"destinationCidrBlock", strings.Join(append(destinations, "0.0.0.0/0"), " "), inRoute+"gatewayId", strings.Join(append(gateways, "igw-1"), " "))
	w.does(ec2, "DescribeRouteTables", "Filter.1.Name", "tag-key", "Filter.1.Value.1", "kubernetes.io/cluster/simcloud",
		"Filter.2.Name", "vpc-id", "Filter.2.Value.1", "vpc-1").has(inTable+"routeTableId", id(first))
	w.does(ec2, "DescribeRouteTables", "Filter.1.Name", "association.main", "Filter.1.Value.1", "false").has(inTable+"routeTableId", id(second))
	w.does(ec2, "DescribeRouteTables", "RouteTableId.1", id(second)).has(inTable+"routeTableId", id(second))
	w.refused("InvalidRouteTableID.NotFound", 400, ec2, "DescribeRouteTables", "RouteTableId.1", "rtb-99")
	w.refused("InvalidRouteTableID.NotFound", 400, ec2, "CreateRoute", "RouteTableId", "rtb-main-2", "DestinationCidrBlock", "10.9.0.0/24", "InstanceId", "i-1")
}

// TestRoutes makes and removes a route, in the cloud too.
func TestRoutes(t *testing.T) {
	t.Parallel()
	w := open(t)
	core := w.withTables()[0].ID
	table := "rtb-" + strings.TrimPrefix(string(core), "rt-")
	i := w.instance(simcloud.InstanceSpec{Name: "node-1"})
	routes := func() []simcloud.Route {
		return must[simcloud.RouteTable](t)(w.native.GetRouteTable(t.Context(), core)).Routes
	}
	create := func(cidr string) []string {
		return []string{"RouteTableId", table, "DestinationCidrBlock", cidr, "InstanceId", string(i.ID)}
	}
	w.does(ec2, "CreateRoute", create("10.96.1.7/24")...).has("return", "true") // the address within is of no matter
	if made := routes(); len(made) != 1 || made[0].Destination != "10.96.1.0/24" || made[0].NextHop.Instance != i.ID {
		t.Errorf("the routes are %+v", made)
	}
	entry := w.journal("CreateRoute")[0]
	if entry.Resource != "route_table/"+string(core) || !entry.Committed || entry.DialectOperation != "ec2:CreateRoute" || entry.OperationID == "" {
		t.Errorf("the journal has %+v", entry)
	}
	byInstance := w.does(ec2, "DescribeRouteTables", "Filter.1.Name", "route.instance-id", "Filter.1.Value.1", string(i.ID))
	byInstance.has(inTable+"routeTableId", table, inRoute+"instanceId", "i-1", inRoute+"networkInterfaceId", "eni-1")
	states := byInstance.texts(inRoute + "state")
	if last := states[len(states)-1]; last != "active" {
		t.Errorf("the states are %v", states)
	}

	w.refused("RouteAlreadyExists", 400, ec2, "CreateRoute", create("10.96.1.0/24")...)
	w.refused("RouteAlreadyExists", 400, ec2, "CreateRoute", create("0.0.0.0/0")...)
	for _, cidr := range []string{"10.96.1.0", "10.96.1.0/33", "fd00::/64", "x"} {
		w.refused("InvalidParameterValue", 400, ec2, "CreateRoute", create(cidr)...)
	}
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "CreateRoute", "RouteTableId", table, "DestinationCidrBlock", "10.96.2.0/24", "InstanceId", "i-9")
	w.refused("InvalidInstanceID.Malformed", 400, ec2, "CreateRoute", "RouteTableId", table, "DestinationCidrBlock", "10.96.2.0/24", "InstanceId", "vm")
	w.refused("InvalidRouteTableID.NotFound", 400, ec2, "CreateRoute", "RouteTableId", "rt-1", "DestinationCidrBlock", "10.96.2.0/24", "InstanceId", "i-1")
	full := 1
	must[simcloud.Result[simcloud.RouteTable]](t)(w.native.UpdateRouteTable(t.Context(), core, simcloud.RouteTableUpdate{Limit: &full}))
	w.refused("RouteLimitExceeded", 400, ec2, "CreateRoute", create("10.96.2.0/24")...)

	remove := func(cidr string) []string { return []string{"RouteTableId", table, "DestinationCidrBlock", cidr} }
	w.does(ec2, "DeleteRoute", remove("10.96.1.0/24")...).has("return", "true")
	if left := routes(); len(left) != 0 {
		t.Errorf("there are %+v", left)
	}
	w.refused("InvalidRoute.NotFound", 400, ec2, "DeleteRoute", remove("10.96.1.0/24")...)
	w.refused("InvalidParameterValue", 400, ec2, "DeleteRoute", remove("0.0.0.0/0")...)
	w.refused("InvalidRouteTableID.NotFound", 400, ec2, "DeleteRoute", "RouteTableId", "rtb-99", "DestinationCidrBlock", "10.96.1.0/24")
}

// TestHops: neither a route to an address nor a blackhole names an instance, which DescribeInstances would have to know.
func TestHops(t *testing.T) {
	t.Parallel()
	w := open(t)
	core := w.withTables()[0].ID
	i := w.instance(simcloud.InstanceSpec{Name: "node-1"})
	for _, spec := range []simcloud.RouteSpec{
		{Destination: "10.96.1.0/24", NextHop: simcloud.NextHop{Instance: i.ID}}, {Destination: "10.96.2.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.77"}},
		{Destination: "fd96::/64", NextHop: simcloud.NextHop{Address: "fd00::77"}},
	} {
		must[simcloud.Result[simcloud.RouteTable]](t)(w.native.CreateRoute(t.Context(), core, spec))
	}
	if _, err := w.native.DeleteInstance(t.Context(), i.ID); err != nil {
		t.Fatal(err)
	}
	answer := w.does(ec2, "DescribeRouteTables")
	answer.has(inRoute+"instanceId", "", inRoute+"networkInterfaceId", "")
	destinations, states := answer.text(inRoute+"destinationCidrBlock"), answer.text(inRoute+"state")
	if !strings.HasSuffix(destinations, "0.0.0.0/0 10.96.1.0/24 10.96.2.0/24") || !strings.HasSuffix(states, "active blackhole active active") {
		t.Errorf("the routes are %s, %s", destinations, states)
	}
	if ipv6 := answer.texts(inRoute + "destinationIpv6CidrBlock"); len(ipv6) == 0 || ipv6[len(ipv6)-1] != "fd96::/64" {
		t.Errorf("the IPv6 routes are %v", ipv6)
	}
}
