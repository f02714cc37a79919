package ec2

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeSubnetsRequest struct {
	IDs     []string         `aws:"SubnetId"`
	Filters []service.Filter `aws:"Filter"`
	service.Pages
}

type subnets struct {
	Subnets   []subnet `aws:"subnetSet"`
	NextToken string   `aws:"nextToken"`
}

// subnet is a part of a network in one zone, which all of EC2's are.
type subnet struct {
	ID      string            `aws:"subnetId"`
	VPCID   string            `aws:"vpcId"`
	OwnerID string            `aws:"ownerId"`
	State   string            `aws:"state"`
	CIDR    string            `aws:"cidrBlock"`
	Zone    string            `aws:"availabilityZone"`
	ZoneID  string            `aws:"availabilityZoneId"`
	Ranges6 []subnetRange6    `aws:"ipv6CidrBlockAssociationSet"`
	Tags    []service.Tag     `aws:"tagSet"`
	tags    map[string]string // as Tags
	derived bool              // of its network, and none of the cloud
}

// subnetRange6 is a range of IPv6 addresses that a subnet has: that of its network, since no subnet of the cloud has two ranges.
type subnetRange6 struct {
	ID    string `aws:"associationId"`
	CIDR  string `aws:"ipv6CidrBlock"`
	State struct {
		State string `aws:"state"`
	} `aws:"ipv6CidrBlockState"`
}

// range6 is the range of the IPv6 addresses; empty without.
func (s subnet) range6() string {
	if len(s.Ranges6) == 0 {
		return ""
	}
	return s.Ranges6[0].CIDR
}

// with6 gives a subnet the IPv6 range of its network, if that has one.
func (s subnet) with6(n simcloud.Network) subnet {
	if cidr := rangeOf(n, netip.Addr.Is6); cidr != "" {
		has := subnetRange6{ID: "subnet-cidr-assoc-" + strings.TrimPrefix(s.ID, "subnet-"), CIDR: cidr}
		has.State.State = "associated"
		s.Ranges6 = []subnetRange6{has}
	}
	return s
}

// subnetPages is how many subnets a page has.
var subnetPages = service.PageSize{Least: 5, Most: 1000}

// derivedSubnet is the id of the subnet that a zone has of a network which has none. Those of the first
// network have the name of the zone alone, so that a configuration can name them.
func derivedSubnet(zone, network simcloud.ID) string {
	id := "subnet-" + string(zone)
	if n := service.Number(network); n != 1 {
		id += service.Numbered("-", network)
	}
	return id
}

// subnetOf is the subnet that an instance is in.
func subnetOf(i simcloud.Instance) string {
	if i.Subnet != "" {
		return string(i.Subnet)
	}
	return derivedSubnet(i.Zone, i.Network)
}

func describeSubnets(c service.Call, in describeSubnetsRequest) (out subnets, err error) {
	all, err := allSubnets(c)
	if err != nil {
		return out, err
	}
	if all, err = service.WithIDs(all, in.IDs, func(s subnet) string { return s.ID }, "InvalidSubnetID.NotFound", "subnet"); err != nil {
		return out, err
	}
	if all, err = subnetFilters.Choose(all, in.Filters); err != nil {
		return out, err
	}
	out.Subnets, out.NextToken, err = service.Cut(c, all, func(s subnet) string { return s.ID }, in.Pages, subnetPages, []any{in.IDs, in.Filters})
	return out, err
}

// allSubnets are those of the cloud, and derived ones: those in each zone of a network that has none, and those of others
// in which something still is.
func allSubnets(c service.Call) ([]subnet, error) {
	zones, err := service.All(c, c.Cloud.ListZones)
	if err != nil {
		return nil, err
	}
	networks, err := service.All(c, c.Cloud.ListNetworks)
	if err != nil {
		return nil, err
	}
	parts, err := service.All(c, c.Cloud.ListSubnets)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	if len(parts) > 0 {
		if named, err = derivedInUse(c); err != nil {
			return nil, err
		}
	}
	var all []subnet
	for _, n := range networks {
		own := slices.DeleteFunc(slices.Clone(parts), func(s simcloud.Subnet) bool { return s.Network != n.ID })
		for _, s := range derivedSubnets(n, zones) {
			if len(own) == 0 || named[s.ID] {
				all = append(all, s.with6(n))
			}
		}
		for _, s := range own {
			all = append(all, realSubnet(s, zones).with6(n))
		}
	}
	return all, nil
}

// derivedInUse are the derived subnets that instances and load balancers are in, by their ids.
func derivedInUse(c service.Call) (map[string]bool, error) {
	instances, err := service.All(c, c.Cloud.ListInstances)
	if err != nil {
		return nil, err
	}
	balancers, err := service.All(c, c.Cloud.ListLoadBalancers)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, i := range instances {
		named[subnetOf(i)] = true
	}
	for _, lb := range balancers {
		for _, p := range lb.Placements() {
			if p.Subnet == "" {
				named[derivedSubnet(p.Zone, lb.Network)] = true
			}
		}
	}
	return named, nil
}

// derivedSubnets are those of a network without subnets: one in each zone, with the range of the network.
func derivedSubnets(n simcloud.Network, zones []simcloud.Zone) []subnet {
	var all []subnet
	for _, z := range zones {
		meta := simcloud.Meta{Name: n.Name + "-" + z.Name, Labels: n.Labels, Project: n.Project}
		part := newSubnet(derivedSubnet(z.ID, n.ID), meta, n.ID, rangeOf(n, netip.Addr.Is4), z.ID)
		part.derived = true
		all = append(all, part)
	}
	return all
}

// realSubnet shows a subnet of the cloud. One in all zones is shown in the first.
func realSubnet(s simcloud.Subnet, zones []simcloud.Zone) subnet {
	zone := s.Zone
	if zone == "" && len(zones) > 0 {
		zone = zones[0].ID
	}
	return newSubnet(string(s.ID), s.Meta, s.Network, s.CIDR, zone)
}

func newSubnet(id string, meta simcloud.Meta, network simcloud.ID, cidr string, zone simcloud.ID) subnet {
	tags := service.Tags(meta)
	return subnet{
		ID: id, VPCID: vpcID(network), OwnerID: service.Account(meta.Project), State: "available", CIDR: cidr,
		Zone: string(zone), ZoneID: zoneID(zone), Tags: service.TagList(tags), tags: tags,
	}
}

// subnetFilters are the filters of subnets.
var subnetFilters = service.Filters[subnet]{
	Tags: func(s subnet) map[string]string { return s.tags },
	Facts: map[string]service.Facts[subnet]{
		"availability-zone":    func(s subnet) []string { return []string{s.Zone} },
		"availability-zone-id": func(s subnet) []string { return []string{s.ZoneID} },
		"cidr-block":           func(s subnet) []string { return one(s.CIDR) },
		"state":                func(s subnet) []string { return []string{s.State} },
		"subnet-id":            func(s subnet) []string { return []string{s.ID} },
		"vpc-id":               func(s subnet) []string { return []string{s.VPCID} },
	},
}

// NetworkOf is the network that subnets are in, of which there is one; empty without subnets. An unknown
// one is NotFound, and those of several networks are Invalid.
func NetworkOf(c service.Call, ids []string) (network simcloud.ID, err error) {
	all, err := allSubnets(c)
	if err != nil {
		return "", err
	}
	for _, id := range ids {
		i := slices.IndexFunc(all, func(s subnet) bool { return s.ID == id })
		if i < 0 {
			return "", unknownSubnet(id)
		}
		of := NetworkID(all[i].VPCID)
		if network != "" && of != network {
			return "", simcloud.Errorf(simcloud.Invalid, "", "The subnets are in several VPCs: must be in one")
		}
		network = of
	}
	return network, nil
}

func unknownSubnet(id string) error {
	return simcloud.Errorf(simcloud.NotFound, "", "The subnet ID '%s' does not exist", query.Clip(id))
}

// VPCID is the id of the VPC that a network is.
func VPCID(network simcloud.ID) string { return vpcID(network) }
