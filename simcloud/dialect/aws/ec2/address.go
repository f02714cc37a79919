package ec2

import (
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// The prefixes of ids of addresses here, and in the cloud.
const (
	allocationPrefix  = "eipalloc-"
	associationPrefix = "eipassoc-"
	floatingIPPrefix  = "fip-"
)

// domain is that of all addresses.
const domain = "vpc"

type describeAddressesRequest struct {
	IDs       []string         `aws:"AllocationId"`
	Addresses []string         `aws:"PublicIp"`
	Filters   []service.Filter `aws:"Filter"`
}

type addresses struct {
	Addresses []address `aws:"addressesSet"`
}

// address is a floating IP as EC2 shows it.
type address struct {
	Address        string            `aws:"publicIp"`
	AllocationID   string            `aws:"allocationId"`
	AssociationID  string            `aws:"associationId"`
	Domain         string            `aws:"domain"`
	InstanceID     string            `aws:"instanceId"`
	InterfaceID    string            `aws:"networkInterfaceId"`
	InterfaceOwner string            `aws:"networkInterfaceOwnerId"`
	PrivateAddress string            `aws:"privateIpAddress"`
	Pool           string            `aws:"publicIpv4Pool"`
	Tags           []service.Tag     `aws:"tagSet"`
	tags           map[string]string // as Tags
}

// describeAddresses shows the floating IPs of version 4: EC2 has no others.
func describeAddresses(c service.Call, in describeAddressesRequest) (out addresses, err error) {
	all, err := allAddresses(c)
	if err != nil {
		return out, err
	}
	if all, err = service.WithIDs(all, in.IDs, func(a address) string { return a.AllocationID }, "InvalidAllocationID.NotFound", "allocation"); err != nil {
		return out, err
	}
	for _, wanted := range in.Addresses {
		if !slices.ContainsFunc(all, func(a address) bool { return a.Address == wanted }) {
			return out, service.Refuse(simcloud.NotFound, "InvalidAddress.NotFound", "Address '%s' not found.", query.Clip(wanted))
		}
	}
	all = slices.DeleteFunc(all, func(a address) bool { return len(in.Addresses) > 0 && !slices.Contains(in.Addresses, a.Address) })
	out.Addresses, err = addressFilters.Choose(all, in.Filters)
	slices.SortFunc(out.Addresses, func(a, b address) int { return service.Order(a.AllocationID, b.AllocationID) })
	return out, err
}

func allAddresses(c service.Call) ([]address, error) {
	ips, err := service.All(c, c.Cloud.ListFloatingIPs)
	if err != nil {
		return nil, err
	}
	instances, err := service.All(c, c.Cloud.ListInstances)
	if err != nil {
		return nil, err
	}
	byID := map[simcloud.ID]simcloud.Instance{}
	for _, i := range instances {
		byID[i.ID] = i
	}
	var all []address
	for _, ip := range ips {
		if addr, err := netip.ParseAddr(ip.Address); err == nil && addr.Is4() {
			all = append(all, addressOf(ip, byID[ip.AttachedTo.ID]))
		}
	}
	return all, nil
}

// addressOf shows a floating IP. The instance is the one that it leads to, if it leads to one.
func addressOf(ip simcloud.FloatingIP, i simcloud.Instance) address {
	tags := service.Tags(ip.Meta)
	a := address{
		Address: ip.Address, AllocationID: service.Numbered(allocationPrefix, ip.ID), Domain: domain, Pool: "amazon", Tags: service.TagList(tags), tags: tags,
	}
	if ip.AttachedTo.ID != "" {
		a.AssociationID = service.Numbered(associationPrefix, ip.ID)
	}
	if i.ID != "" && ip.AttachedTo.Kind == simcloud.KindInstance {
		a.InstanceID, a.InterfaceID, a.InterfaceOwner = string(i.ID), interfaceID(i.ID, 0), service.Account(i.Project)
		a.PrivateAddress = firstAddress(i, simcloud.ScopePrivate, netip.Addr.Is4)
	}
	return a
}

// addressFilters are the filters of addresses.
var addressFilters = service.Filters[address]{
	Tags: func(a address) map[string]string { return a.tags },
	Facts: map[string]service.Facts[address]{
		"allocation-id":        func(a address) []string { return []string{a.AllocationID} },
		"association-id":       func(a address) []string { return one(a.AssociationID) },
		"domain":               func(a address) []string { return []string{a.Domain} },
		"instance-id":          func(a address) []string { return one(a.InstanceID) },
		"network-interface-id": func(a address) []string { return one(a.InterfaceID) },
		"private-ip-address":   func(a address) []string { return one(a.PrivateAddress) },
		"public-ip":            func(a address) []string { return []string{a.Address} },
	},
}
