package aws_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestZones(t *testing.T) {
	t.Parallel()
	w := open(t)
	const in = "availabilityZoneInfo/item/"
	w.does(ec2, "DescribeAvailabilityZones").has(in+"zoneName", "zone-a zone-b zone-c", in+"zoneId", "zone-a-id zone-b-id zone-c-id",
		in+"zoneType", "availability-zone availability-zone availability-zone", in+"zoneState", "available available available",
		in+"regionName", "region-1 region-1 region-1")
	must[simcloud.Result[simcloud.Zone]](t)(w.native.SetZoneState(t.Context(), "zone-b", simcloud.ZoneStateSpec{State: simcloud.ZoneDown}))
	must[simcloud.Result[simcloud.Zone]](t)(w.native.SetZoneState(t.Context(), "zone-c", simcloud.ZoneStateSpec{State: simcloud.ZoneDegraded}))
	w.does(ec2, "DescribeAvailabilityZones").has(in+"zoneState", "available unavailable impaired")
	w.does(ec2, "DescribeAvailabilityZones", "ZoneName.1", "zone-b", "ZoneId.1", "zone-a-id").has(in+"zoneName", "zone-a zone-b")
	w.does(ec2, "DescribeAvailabilityZones", "Filter.1.Name", "state", "Filter.1.Value.1", "un*").has(in+"zoneName", "zone-b")
	w.refused("InvalidParameterValue", 400, ec2, "DescribeAvailabilityZones", "ZoneName.1", "zone-z")
}

// TestTopology: no type is in a network whose shape is known, and the instances must exist.
func TestTopology(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	answer := w.does(ec2, "DescribeInstanceTopology", "InstanceId.1", "i-1")
	answer.has("instanceSet", "", "instanceSet/item", "", "nextToken", "")
	w.does(ec2, "DescribeInstanceTopology")
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "DescribeInstanceTopology", "InstanceId.1", "i-2")
	w.refused("InvalidPlacementGroup.Unknown", 400, ec2, "DescribeInstanceTopology", "GroupName.1", "rack")
	w.refused("InvalidParameterValue", 400, ec2, "DescribeInstanceTopology", "Filter.1.Name", "colour", "Filter.1.Value.1", "red")
	w.refused("InvalidNextToken", 400, ec2, "DescribeInstanceTopology", "NextToken", "x")
}

// TestSubnets: a network without subnets has one in each zone.
func TestSubnets(t *testing.T) {
	t.Parallel()
	w := open(t)
	network := must[simcloud.Network](t)(w.native.GetNetwork(t.Context(), "net-1"))
	must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "other", CIDRs: []string{"192.168.0.0/16"}}))
	const in = "subnetSet/item/"
	w.does(ec2, "DescribeSubnets").has(in+"subnetId", "subnet-zone-a subnet-zone-a-2 subnet-zone-b subnet-zone-b-2 subnet-zone-c subnet-zone-c-2")
	w.does(ec2, "DescribeSubnets", "Filter.1.Name", "vpc-id", "Filter.1.Value.1", "vpc-1").has(in+"subnetId", "subnet-zone-a subnet-zone-b subnet-zone-c",
		in+"availabilityZone", "zone-a zone-b zone-c", in+"cidrBlock", network.CIDRs[0]+" "+network.CIDRs[0]+" "+network.CIDRs[0], in+"vpcId", "vpc-1 vpc-1 vpc-1")
	w.does(ec2, "DescribeSubnets", "SubnetId.1", "subnet-zone-b").has(in+"tagSet/item/key", "Name kubernetes.io/cluster/simcloud", in+"tagSet/item/value", "default-zone-b owned")
	w.refused("InvalidSubnetID.NotFound", 400, ec2, "DescribeSubnets", "SubnetId.1", "subnet-zone-z")

	for _, spec := range []simcloud.SubnetSpec{
		{Name: "one", Network: "net-2", CIDR: "192.168.1.0/24", Zone: "zone-c", Labels: map[string]string{"kubernetes.io/role/elb": "1"}},
		{Name: "all", Network: "net-2", CIDR: "192.168.2.0/24"},
	} {
		must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), spec))
	}
	w.does(ec2, "DescribeSubnets", "Filter.1.Name", "vpc-id", "Filter.1.Value.1", "vpc-2").has(in+"subnetId", "subnet-1 subnet-2",
		in+"availabilityZone", "zone-c zone-a", in+"cidrBlock", "192.168.1.0/24 192.168.2.0/24")
	w.does(ec2, "DescribeSubnets", "Filter.1.Name", "tag-key", "Filter.1.Value.1", "kubernetes.io/role/elb").has(in+"subnetId", "subnet-1")
	i := w.instance(simcloud.InstanceSpec{Name: "a", Network: "net-2", Subnet: "subnet-1", Zone: "zone-c"})
	w.does(ec2, "DescribeInstances", "InstanceId.1", string(i.ID)).has(inReservation+"subnetId", "subnet-1", inReservation+"vpcId", "vpc-2")
}

func TestVPCs(t *testing.T) {
	t.Parallel()
	w := open(t)
	network := must[simcloud.Network](t)(w.native.GetNetwork(t.Context(), "net-1"))
	w.does(ec2, "DescribeVpcs").has("vpcSet/item/vpcId", "vpc-1", "vpcSet/item/cidrBlock", network.CIDRs[0], "vpcSet/item/state", "available")
	w.does(ec2, "DescribeVpcs", "Filter.1.Name", "tag:Name", "Filter.1.Value.1", "moon").has("vpcSet/item/vpcId", "")
	w.refused("InvalidVpcID.NotFound", 400, ec2, "DescribeVpcs", "VpcId.1", "vpc-2")
}
