package ec2

import (
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// The prefixes of ids here, and in the cloud.
const (
	vpcPrefix   = "vpc-"
	tablePrefix = "rtb-"

	networkPrefix    = "net-"
	routeTablePrefix = "rt-"
)

// vpcID is the id of the VPC that a network is.
func vpcID(network simcloud.ID) string { return service.Numbered(vpcPrefix, network) }

type describeVPCsRequest struct {
	IDs     []string         `aws:"VpcId"`
	Filters []service.Filter `aws:"Filter"`
	service.Pages
}

type vpcs struct {
	VPCs      []vpc  `aws:"vpcSet"`
	NextToken string `aws:"nextToken"`
}

// vpc is a network as EC2 shows it.
type vpc struct {
	ID      string        `aws:"vpcId"`
	OwnerID string        `aws:"ownerId"`
	State   string        `aws:"state"`
	CIDR    string        `aws:"cidrBlock"`
	Tenancy string        `aws:"instanceTenancy"`
	Default bool          `aws:"isDefault"`
	Tags    []service.Tag `aws:"tagSet"`
}

// vpcPages is how many VPCs a page has.
var vpcPages = service.PageSize{Least: 5, Most: 1000}

func describeVPCs(c service.Call, in describeVPCsRequest) (out vpcs, err error) {
	all, err := service.All(c, c.Cloud.ListNetworks)
	if err != nil {
		return out, err
	}
	if all, err = service.WithIDs(all, in.IDs, func(n simcloud.Network) string { return vpcID(n.ID) }, "InvalidVpcID.NotFound", "vpc"); err != nil {
		return out, err
	}
	if all, err = vpcFilters.Choose(all, in.Filters); err != nil {
		return out, err
	}
	page, next, err := service.Cut(c, all, func(n simcloud.Network) string { return string(n.ID) }, in.Pages, vpcPages, []any{in.IDs, in.Filters})
	out = vpcs{VPCs: make([]vpc, len(page)), NextToken: next}
	for i, n := range page {
		out.VPCs[i] = vpc{
			ID: vpcID(n.ID), OwnerID: service.Account(n.Project), State: "available", CIDR: rangeOf(n, netip.Addr.Is4),
			Tenancy: "default", Tags: service.TagList(service.Tags(n.Meta)),
		}
	}
	return out, err
}

// rangeOf is the range of a network of one family; empty when it has none.
func rangeOf(n simcloud.Network, is func(netip.Addr) bool) string {
	for _, cidr := range n.CIDRs {
		if prefix, err := netip.ParsePrefix(cidr); err == nil && is(prefix.Addr()) {
			return cidr
		}
	}
	return ""
}

// vpcFilters are the filters of VPCs.
var vpcFilters = service.Filters[simcloud.Network]{
	Tags: func(n simcloud.Network) map[string]string { return service.Tags(n.Meta) },
	Facts: map[string]service.Facts[simcloud.Network]{
		"cidr":   func(n simcloud.Network) []string { return one(rangeOf(n, netip.Addr.Is4)) },
		"state":  func(simcloud.Network) []string { return []string{"available"} },
		"vpc-id": func(n simcloud.Network) []string { return []string{vpcID(n.ID)} },
	},
}
