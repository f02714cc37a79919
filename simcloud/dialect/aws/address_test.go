package aws_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestAddresses: an address is a floating IP, with the same number in its id.
func TestAddresses(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	made := w.does(ec2, "AllocateAddress", "Domain", "vpc")
	made.has("allocationId", "eipalloc-1", "domain", "vpc")
	ip := must[simcloud.FloatingIP](t)(w.native.GetFloatingIP(t.Context(), "fip-1"))
	made.has("publicIp", ip.Address)
	w.does(ec2, "AllocateAddress")
	in := "addressesSet/item/"
	w.does(ec2, "DescribeAddresses").has(in+"allocationId", "eipalloc-1 eipalloc-2", in+"associationId", "")
	associate := func(instance string, more ...string) []string {
		return append([]string{"AllocationId", "eipalloc-1", "InstanceId", instance}, more...)
	}
	for range 2 {
		w.does(ec2, "AssociateAddress", associate("i-1")...).has("associationId", "eipassoc-1", "return", "true")
	}
	w.refused("Resource.AlreadyAssociated", 400, ec2, "AssociateAddress", associate("i-2", "AllowReassociation", "false")...)
	w.does(ec2, "AssociateAddress", associate("i-2")...)
	w.does(ec2, "DescribeAddresses", "AllocationId.1", "eipalloc-1").has(in+"instanceId", "i-2", in+"networkInterfaceId", "eni-2", in+"associationId", "eipassoc-1", in+"publicIp", ip.Address)
	w.does(ec2, "DescribeAddresses", "Filter.1.Name", "instance-id", "Filter.1.Value.1", "i-2").has(in+"allocationId", "eipalloc-1")
	w.does(ec2, "DescribeAddresses", "PublicIp.1", ip.Address).has(in+"allocationId", "eipalloc-1")
	for _, test := range []struct {
		code, action string
		fields       []string
	}{
		{"InvalidIPAddress.InUse", "ReleaseAddress", []string{"AllocationId", "eipalloc-1"}},
		{"InvalidAllocationID.NotFound", "ReleaseAddress", []string{"AllocationId", "eipalloc-9"}},
		{"InvalidAllocationID.NotFound", "ReleaseAddress", []string{"AllocationId", "fip-1"}},
		{"InvalidAllocationID.NotFound", "DescribeAddresses", []string{"AllocationId.1", "eipalloc-9"}},
		{"InvalidAddress.NotFound", "DescribeAddresses", []string{"PublicIp.1", "192.0.2.1"}},
		{"InvalidInstanceID.NotFound", "AssociateAddress", associate("i-9")},
		{"InvalidAssociationID.NotFound", "DisassociateAddress", []string{"AssociationId", "eipassoc-2"}},
		{"InvalidAssociationID.NotFound", "DisassociateAddress", []string{"AssociationId", "eipalloc-1"}},
		{"InvalidParameterValue", "AllocateAddress", []string{"Domain", "standard"}},
		{"InvalidParameterValue", "AllocateAddress", []string{"Address", "192.0.2.1"}},
	} {
		w.refused(test.code, 400, ec2, test.action, test.fields...)
	}
	w.does(ec2, "DisassociateAddress", "AssociationId", "eipassoc-1")
	w.does(ec2, "ReleaseAddress", "AllocationId", "eipalloc-1")
	w.does(ec2, "DescribeAddresses").has(in+"allocationId", "eipalloc-2")
	if calls := w.journal("aws:ec2:ReleaseAddress"); calls[len(calls)-1].Operation != "DeleteFloatingIP" || calls[len(calls)-1].Resource != "floating_ip/fip-1" {
		t.Errorf("the journal has %+v", calls)
	}
	for _, q := range must[[]simcloud.Quota](t)(simcloud.ListAll(t.Context(), w.native.ListQuotas, simcloud.ListOptions{})) {
		if q.Resource == simcloud.QuotaFloatingIPs {
			must[simcloud.Result[simcloud.Quota]](t)(w.native.SetQuota(t.Context(), q.ID, simcloud.QuotaSpec{Limit: 1}))
		}
	}
	w.refused("AddressLimitExceeded", 400, ec2, "AllocateAddress")
}

// TestListedInterfaces: each instance has one in its network, and one in each that it was attached to.
func TestListedInterfaces(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.instance(simcloud.InstanceSpec{Name: "node-1", Zone: "zone-b"})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	const in = "networkInterfaceSet/item/"
	w.does(ec2, "DescribeNetworkInterfaces").has(in+"networkInterfaceId", "eni-1 eni-2", in+"attachment/instanceId", "i-1 i-2")
	w.does(ec2, "DescribeNetworkInterfaces", "Filter.1.Name", "attachment.status", "Filter.1.Value.1", "attached", "Filter.2.Name", "vpc-id", "Filter.2.Value.1", "vpc-1",
		"Filter.3.Name", "private-ip-address", "Filter.3.Value.1", first.Addresses[0].Address).has(
		in+"networkInterfaceId", "eni-1", in+"privateIpAddress", first.Addresses[0].Address, in+"availabilityZone", "zone-b", in+"status", "in-use", in+"subnetId", "subnet-zone-b")
	w.does(ec2, "DescribeNetworkInterfaces", "NetworkInterfaceId.1", "eni-2").has(in+"attachment/instanceId", "i-2")
	w.does(ec2, "DescribeNetworkInterfaces", "Filter.1.Name", "vpc-id", "Filter.1.Value.1", "vpc-9").has(in+"networkInterfaceId", "")
	w.refused("InvalidNetworkInterfaceID.NotFound", 400, ec2, "DescribeNetworkInterfaces", "NetworkInterfaceId.1", "eni-9")
	page := w.does(ec2, "DescribeNetworkInterfaces", "MaxResults", "5")
	page.has("nextToken", "")
	// In the answer of the instance itself the attachment does not say whose it is.
	w.does(ec2, "DescribeInstances").has("reservationSet/item/instancesSet/item/networkInterfaceSet/item/attachment/instanceId", "")
}

func TestRegionsAndTypes(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.does(ec2, "DescribeRegions", "RegionName.1", "region-1", "AllRegions", "true").has("regionInfo/item/regionName", "region-1", "regionInfo/item/optInStatus", "opt-in-not-required")
	w.refused("InvalidParameterValue", 400, ec2, "DescribeRegions", "RegionName.1", "moon-1")
	types := must[[]simcloud.InstanceType](t)(simcloud.ListAll(t.Context(), w.native.ListInstanceTypes, simcloud.ListOptions{}))
	all := w.does(ec2, "DescribeInstanceTypes").texts("instanceTypeSet/item/instanceType")
	if len(all) != len(types) || len(all) == 0 {
		t.Fatalf("the types are %v", all)
	}
	one := w.does(ec2, "DescribeInstanceTypes", "InstanceType.1", string(types[0].ID))
	one.has("instanceTypeSet/item/instanceType", string(types[0].ID))
	if one.text("instanceTypeSet/item/vCpuInfo/defaultVCpus") == "0" || one.text("instanceTypeSet/item/memoryInfo/sizeInMiB") == "0" {
		t.Errorf("it is %s", one.body)
	}
	w.refused("InvalidInstanceType", 400, ec2, "DescribeInstanceTypes", "InstanceType.1", "p9.huge")
}

// TestDryRun: a request that could be tried ends before it does anything, and one that may not be made is refused as always.
func TestDryRun(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.refused("DryRunOperation", 412, ec2, "AllocateAddress", "DryRun", "true")
	w.refused("DryRunOperation", 412, ec2, "DescribeInstances", "DryRun", "true")
	w.refused("MissingParameter", 400, ec2, "ReleaseAddress", "DryRun", "true")
	w.refused("InvalidParameterValue", 400, ec2, "AllocateAddress", "DryRun", "maybe")
	w.refused("ValidationError", 400, elb, "DescribeLoadBalancers", "DryRun", "true")
	reader := w.token(simcloud.RoleReader, 0)
	if res := w.post(form(ec2, "AllocateAddress", "DryRun", "true"), "X-Amz-Security-Token", reader.Secret); res.code() != "UnauthorizedOperation" || res.status != 403 {
		t.Errorf("a reader: %d %s", res.status, res.body)
	}
	w.does(ec2, "DescribeAddresses").has("addressesSet/item/allocationId", "")
	w.does(ec2, "AllocateAddress", "DryRun", "false").has("allocationId", "eipalloc-1")
}
