package sdktest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// tourOfEC2More has the actions that a CCM calls seldom or never.
func tourOfEC2More() []stop {
	allocation, association := aws.String("eipalloc-1"), aws.String("eipassoc-1")
	return []stop{
		{"regions", func(w world) error { return last(w.ec2.DescribeRegions(w.Context(), nil)) }, ""},
		{"types", func(w world) error {
			return last(w.ec2.DescribeInstanceTypes(w.Context(), &ec2.DescribeInstanceTypesInput{MaxResults: aws.Int32(100)}))
		}, ""},
		{"interfaces", func(w world) error {
			return last(w.ec2.DescribeNetworkInterfaces(w.Context(), &ec2.DescribeNetworkInterfacesInput{Filters: []types.Filter{
				filter("attachment.status", "attached"), filter("vpc-id", "vpc-1"),
			}}))
		}, ""},
		{"dry-run", func(w world) error {
			return last(w.ec2.AllocateAddress(w.Context(), &ec2.AllocateAddressInput{DryRun: aws.Bool(true)}))
		}, "DryRunOperation"},
		{"address", func(w world) error {
			return last(w.ec2.AllocateAddress(w.Context(), &ec2.AllocateAddressInput{Domain: types.DomainTypeVpc}))
		}, ""},
		{"address-associated", func(w world) error {
			return last(w.ec2.AssociateAddress(w.Context(), &ec2.AssociateAddressInput{AllocationId: allocation, InstanceId: aws.String("i-1")}))
		}, ""},
		{"addresses", func(w world) error {
			return last(w.ec2.DescribeAddresses(w.Context(), &ec2.DescribeAddressesInput{AllocationIds: []string{*allocation}}))
		}, ""},
		{"address-in-use", func(w world) error {
			return last(w.ec2.ReleaseAddress(w.Context(), &ec2.ReleaseAddressInput{AllocationId: allocation}))
		}, "InvalidIPAddress.InUse"},
		{"address-disassociated", func(w world) error {
			return last(w.ec2.DisassociateAddress(w.Context(), &ec2.DisassociateAddressInput{AssociationId: association}))
		}, ""},
		{"address-released", func(w world) error {
			return last(w.ec2.ReleaseAddress(w.Context(), &ec2.ReleaseAddressInput{AllocationId: allocation}))
		}, ""},
	}
}

// TestEC2More: AWS' client reads regions, types, interfaces and addresses.
func TestEC2More(t *testing.T) {
	t.Parallel()
	w := open(t)
	i := w.instance(simcloud.InstanceSpec{Name: "node-1"})
	regions := must[*ec2.DescribeRegionsOutput](t)(w.ec2.DescribeRegions(t.Context(), nil)).Regions
	if len(regions) != 1 || aws.ToString(regions[0].RegionName) != "region-1" || aws.ToString(regions[0].Endpoint) == "" {
		t.Errorf("the regions are %+v", regions)
	}
	kinds := must[*ec2.DescribeInstanceTypesOutput](t)(w.ec2.DescribeInstanceTypes(t.Context(), &ec2.DescribeInstanceTypesInput{InstanceTypes: []types.InstanceType{types.InstanceType(i.Type)}})).InstanceTypes
	if len(kinds) != 1 || string(kinds[0].InstanceType) != string(i.Type) || aws.ToInt32(kinds[0].VCpuInfo.DefaultVCpus) == 0 || aws.ToInt64(kinds[0].MemoryInfo.SizeInMiB) == 0 {
		t.Errorf("the types are %+v", kinds)
	}
	made := must[*ec2.AllocateAddressOutput](t)(w.ec2.AllocateAddress(t.Context(), nil))
	given := must[*ec2.AssociateAddressOutput](t)(w.ec2.AssociateAddress(t.Context(), &ec2.AssociateAddressInput{AllocationId: made.AllocationId, InstanceId: aws.String("i-1")}))
	addresses := must[*ec2.DescribeAddressesOutput](t)(w.ec2.DescribeAddresses(t.Context(), nil)).Addresses
	if len(addresses) != 1 || aws.ToString(addresses[0].PublicIp) != aws.ToString(made.PublicIp) || aws.ToString(addresses[0].AssociationId) != aws.ToString(given.AssociationId) ||
		aws.ToString(addresses[0].InstanceId) != "i-1" || addresses[0].Domain != types.DomainTypeVpc {
		t.Errorf("the addresses are %+v", addresses)
	}
	interfaces := must[*ec2.DescribeNetworkInterfacesOutput](t)(w.ec2.DescribeNetworkInterfaces(t.Context(), nil)).NetworkInterfaces
	if len(interfaces) != 1 || aws.ToString(interfaces[0].Attachment.InstanceId) != "i-1" || interfaces[0].Status != types.NetworkInterfaceStatusInUse {
		t.Errorf("the interfaces are %+v", interfaces)
	}
	_, err := w.ec2.ReleaseAddress(t.Context(), &ec2.ReleaseAddressInput{AllocationId: made.AllocationId})
	refused(t, err, "InvalidIPAddress.InUse")
	_, err = w.ec2.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{DryRun: aws.Bool(true)})
	refused(t, err, "DryRunOperation")
}
