package ec2

import (
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeInterfacesRequest struct {
	IDs     []string         `aws:"NetworkInterfaceId"`
	Filters []service.Filter `aws:"Filter"`
	service.Pages
}

type networkInterfaces struct {
	Interfaces []listedInterface `aws:"networkInterfaceSet"`
	NextToken  string            `aws:"nextToken"`
}

// listedInterface is an interface beside its instance. All are attached to one.
type listedInterface struct {
	networkInterface
	Zone     string            `aws:"availabilityZone"`
	OwnerID  string            `aws:"ownerId"`
	Type     string            `aws:"interfaceType"`
	Tags     []service.Tag     `aws:"tagSet"`
	tags     map[string]string // as Tags
	instance simcloud.ID
}

// interfacePages is how many interfaces a page has.
var interfacePages = service.PageSize{Least: 5, Most: 1000}

func describeInterfaces(c service.Call, in describeInterfacesRequest) (out networkInterfaces, err error) {
	instances, err := service.All(c, c.Cloud.ListInstances)
	if err != nil {
		return out, err
	}
	var all []listedInterface
	for _, i := range instances {
		all = append(all, listedInterfaces(i)...)
	}
	if all, err = service.WithIDs(all, in.IDs, listedInterface.id, "InvalidNetworkInterfaceID.NotFound", "networkInterface"); err != nil {
		return out, err
	}
	if all, err = interfaceFilters.Choose(all, in.Filters); err != nil {
		return out, err
	}
	out.Interfaces, out.NextToken, err = service.Cut(c, all, listedInterface.id, in.Pages, interfacePages, []any{in.IDs, in.Filters})
	return out, err
}

func (ni listedInterface) id() string { return ni.ID }

// listedInterfaces are those of an instance.
func listedInterfaces(i simcloud.Instance) []listedInterface {
	var all []listedInterface
	tags := service.Tags(i.Meta)
	for _, ni := range interfacesOf(i) {
		ni.Attachment.InstanceID, ni.Attachment.InstanceOwner = string(i.ID), service.Account(i.Project)
		all = append(all, listedInterface{
			networkInterface: ni, Zone: string(i.Zone), OwnerID: service.Account(i.Project), Type: "interface", Tags: service.TagList(tags), tags: tags, instance: i.ID,
		})
	}
	return all
}

// addresses are the private ones of version 4.
func (ni listedInterface) addresses() []string {
	var all []string
	for _, a := range ni.PrivateAddresses {
		all = append(all, a.Address)
	}
	return all
}

// interfaceFilters are the filters of interfaces, whose tags are those of their instances.
var interfaceFilters = service.Filters[listedInterface]{
	Tags: func(ni listedInterface) map[string]string { return ni.tags },
	Facts: map[string]service.Facts[listedInterface]{
		"addresses.private-ip-address": listedInterface.addresses,
		"attachment.device-index":      func(ni listedInterface) []string { return []string{strconv.Itoa(ni.Attachment.DeviceIndex)} },
		"attachment.instance-id":       func(ni listedInterface) []string { return []string{string(ni.instance)} },
		"attachment.status":            func(ni listedInterface) []string { return []string{ni.Attachment.Status} },
		"availability-zone":            func(ni listedInterface) []string { return []string{ni.Zone} },
		"network-interface-id":         func(ni listedInterface) []string { return []string{ni.ID} },
		"private-ip-address":           func(ni listedInterface) []string { return one(ni.PrivateIPAddress) },
		"status":                       func(ni listedInterface) []string { return []string{ni.Status} },
		"subnet-id":                    func(ni listedInterface) []string { return one(ni.SubnetID) },
		"vpc-id":                       func(ni listedInterface) []string { return []string{ni.VPCID} },
	},
}
