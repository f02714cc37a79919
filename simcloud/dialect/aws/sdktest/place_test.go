package sdktest

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestZones(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.Zone]](t)(w.native.SetZoneState(t.Context(), "zone-b", simcloud.ZoneStateSpec{State: simcloud.ZoneDown}))
	out := must[*ec2.DescribeAvailabilityZonesOutput](t)(w.ec2.DescribeAvailabilityZones(t.Context(), nil))
	var got []string
	for _, z := range out.AvailabilityZones {
		got = append(got, strings.Join([]string{aws.ToString(z.ZoneName), aws.ToString(z.ZoneId), aws.ToString(z.ZoneType), aws.ToString(z.RegionName), string(z.State), string(z.OptInStatus)}, ","))
	}
	const rest = ",availability-zone,region-1,"
	want := "zone-a,zone-a-id" + rest + "available,opt-in-not-required zone-b,zone-b-id" + rest + "unavailable,opt-in-not-required zone-c,zone-c-id" + rest + "available,opt-in-not-required"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v", got)
	}
}

func TestTopology(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	out := must[*ec2.DescribeInstanceTopologyOutput](t)(w.ec2.DescribeInstanceTopology(t.Context(), &ec2.DescribeInstanceTopologyInput{InstanceIds: []string{"i-1"}}))
	if len(out.Instances) != 0 || out.NextToken != nil {
		t.Errorf("got %+v", out)
	}
}

func TestSubnetsAndVPCs(t *testing.T) {
	t.Parallel()
	w := open(t)
	network := must[simcloud.Network](t)(w.native.GetNetwork(t.Context(), "net-1"))
	nets := must[*ec2.DescribeVpcsOutput](t)(w.ec2.DescribeVpcs(t.Context(), nil)).Vpcs
	if len(nets) != 1 || aws.ToString(nets[0].VpcId) != "vpc-1" || aws.ToString(nets[0].CidrBlock) != network.CIDRs[0] || nets[0].State != types.VpcStateAvailable {
		t.Errorf("the VPCs are %+v", nets)
	}
	parts := must[*ec2.DescribeSubnetsOutput](t)(w.ec2.DescribeSubnets(t.Context(), &ec2.DescribeSubnetsInput{Filters: []types.Filter{filter("vpc-id", "vpc-1")}})).Subnets
	if len(parts) != 3 {
		t.Fatalf("the subnets are %+v", parts)
	}
	for i, zone := range []string{"zone-a", "zone-b", "zone-c"} {
		if s := parts[i]; aws.ToString(s.SubnetId) != "subnet-"+zone || aws.ToString(s.AvailabilityZone) != zone || aws.ToString(s.VpcId) != "vpc-1" || len(s.Tags) != 2 {
			t.Errorf("the subnet of %s is %+v", zone, s)
		}
	}
}

// TestRoutes: what the CCM makes is what it reads, and none of it says more than it may.
func TestRoutes(t *testing.T) {
	t.Parallel()
	w := open(t)
	core, id := w.table()
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	for instance, cidr := range map[string]string{"i-1": "10.96.1.0/24", "i-2": "10.96.2.0/24"} {
		made := must[*ec2.CreateRouteOutput](t)(w.ec2.CreateRoute(t.Context(), &ec2.CreateRouteInput{RouteTableId: id, DestinationCidrBlock: aws.String(cidr), InstanceId: aws.String(instance)}))
		if !aws.ToBool(made.Return) {
			t.Errorf("the answer is %+v", made)
		}
	}
	must[simcloud.Result[simcloud.RouteTable]](t)(w.native.CreateRoute(t.Context(), core, simcloud.RouteSpec{Destination: "10.96.3.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.77"}}))
	must[simcloud.Operation](t)(w.native.DeleteInstance(t.Context(), "i-2"))
	tables := must[*ec2.DescribeRouteTablesOutput](t)(w.ec2.DescribeRouteTables(t.Context(), &ec2.DescribeRouteTablesInput{Filters: []types.Filter{filter("route-table-id", *id)}})).RouteTables
	if len(tables) != 1 || aws.ToString(tables[0].VpcId) != "vpc-1" || len(tables[0].Associations) != 1 || !aws.ToBool(tables[0].Associations[0].Main) {
		t.Fatalf("the tables are %+v", tables)
	}
	got := map[string]string{}
	for _, r := range tables[0].Routes {
		got[aws.ToString(r.DestinationCidrBlock)] = strings.Join([]string{aws.ToString(r.GatewayId), aws.ToString(r.InstanceId), aws.ToString(r.NetworkInterfaceId), string(r.State), string(r.Origin)}, ",")
	}
	for cidr, want := range map[string]string{
		"0.0.0.0/0": "igw-1,,,active,CreateRoute", "10.96.1.0/24": ",i-1,eni-1,active,CreateRoute",
		"10.96.2.0/24": ",,,blackhole,CreateRoute", "10.96.3.0/24": ",,,active,CreateRoute",
	} {
		if got[cidr] != want {
			t.Errorf("%s: got %q, want %q", cidr, got[cidr], want)
		}
	}
	_, err := w.ec2.DeleteRoute(t.Context(), &ec2.DeleteRouteInput{RouteTableId: id, DestinationCidrBlock: aws.String("0.0.0.0/0")})
	refused(t, err, "InvalidParameterValue")
	must[*ec2.DeleteRouteOutput](t)(w.ec2.DeleteRoute(t.Context(), &ec2.DeleteRouteInput{RouteTableId: id, DestinationCidrBlock: aws.String("10.96.2.0/24")}))
	if left := must[simcloud.RouteTable](t)(w.native.GetRouteTable(t.Context(), core)).Routes; len(left) != 2 {
		t.Errorf("left are %+v", left)
	}
}
