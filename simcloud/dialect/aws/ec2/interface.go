package ec2

import (
	"net/netip"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// networkInterface is the interface of an instance in one network.
type networkInterface struct {
	ID               string           `aws:"networkInterfaceId"`
	SubnetID         string           `aws:"subnetId"`
	VPCID            string           `aws:"vpcId"`
	Status           string           `aws:"status"`
	PrivateIPAddress string           `aws:"privateIpAddress"`
	PrivateDNSName   string           `aws:"privateDnsName"`
	SourceDestCheck  bool             `aws:"sourceDestCheck"`
	Groups           []group          `aws:"groupSet"`
	Attachment       attachment       `aws:"attachment"`
	Association      *association     `aws:"association"`
	PrivateAddresses []privateAddress `aws:"privateIpAddressesSet"`
	IPv6Addresses    []ipv6Address    `aws:"ipv6AddressesSet"`
}

type attachment struct {
	ID            string `aws:"attachmentId"`
	InstanceID    string `aws:"instanceId"`      // empty in the answer of the instance itself
	InstanceOwner string `aws:"instanceOwnerId"` // as well
	DeviceIndex   int    `aws:"deviceIndex"`
	Status        string `aws:"status"`
}

type association struct {
	PublicIP string `aws:"publicIp"`
	Name     string `aws:"publicDnsName"`
	OwnerID  string `aws:"ipOwnerId"`
}

type privateAddress struct {
	Address string `aws:"privateIpAddress"`
	Primary bool   `aws:"primary"`
}

type ipv6Address struct {
	Address string `aws:"ipv6Address"`
}

// interfaceID is the id of the interface of an instance at an index: "eni-7", and "eni-7-1" for the second.
func interfaceID(instance simcloud.ID, index int) string {
	id := service.Numbered("eni-", instance)
	if index > 0 {
		id += "-" + strconv.Itoa(index)
	}
	return id
}

// interfacesOf are the interfaces of an instance: that of its own network, and one for each that it was attached to.
func interfacesOf(i simcloud.Instance) []networkInterface {
	var all []networkInterface
	for index, network := range i.Networks() {
		own := index == 0
		ni := networkInterface{
			ID: interfaceID(i.ID, index), VPCID: vpcID(network), Status: "in-use", SourceDestCheck: checksSource(i),
			Attachment: attachment{ID: interfaceID(i.ID, index) + "-attach", DeviceIndex: index, Status: "attached"},
		}
		if own {
			ni.SubnetID, ni.PrivateDNSName = subnetOf(i), privateName(i)
			ni.Association = associationOf(i)
		}
		for _, a := range i.Addresses {
			ni.add(a, own && a.Network == "" || !own && a.Network == network)
		}
		all = append(all, ni)
	}
	return all
}

// add adds an address of the instance, if it is one of the interface.
func (ni *networkInterface) add(a simcloud.Address, ofInterface bool) {
	addr, err := netip.ParseAddr(a.Address)
	switch {
	case err != nil || !ofInterface:
	case addr.Is6():
		ni.IPv6Addresses = append(ni.IPv6Addresses, ipv6Address{a.Address})
	case a.Scope == simcloud.ScopePrivate:
		primary := len(ni.PrivateAddresses) == 0
		if primary {
			ni.PrivateIPAddress = a.Address
		}
		ni.PrivateAddresses = append(ni.PrivateAddresses, privateAddress{a.Address, primary})
	}
}

// associationOf is what the first public address of an instance is; nil without one.
func associationOf(i simcloud.Instance) *association {
	address := firstAddress(i, simcloud.ScopePublic, netip.Addr.Is4)
	if address == "" {
		return nil
	}
	return &association{PublicIP: address, Name: publicName(address, i.Region), OwnerID: service.Account(i.Project)}
}
