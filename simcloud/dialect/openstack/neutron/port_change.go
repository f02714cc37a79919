package neutron

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

type portRequest struct {
	Port *struct {
		SecurityGroups      given[[]string]      `json:"security_groups"`
		AllowedAddressPairs given[[]addressPair] `json:"allowed_address_pairs"`
		keptChange
	} `json:"port"`
}

// maxPairs is how many allowed address pairs a port takes.
const maxPairs = 10

// updatePort replaces the security groups or the allowed address pairs of a port. The security groups of the ports of an
// instance are the same: those of the instance.
func updatePort(c service.Call, in portRequest) (any, *simcloud.Meta, error) {
	if in.Port == nil {
		return nil, nil, service.Wrong("port", "must be an object with the attributes to change")
	}
	p, err := portAt(c, c.UUID)
	if err != nil {
		return nil, nil, err
	}
	var meta *simcloud.Meta
	if in.Port.there() {
		if !p.exists() {
			return nil, nil, refuse(simcloud.Unimplemented, http.StatusNotImplemented, "HTTPNotImplemented",
				"simcloud simulates the change of name, description and device of ports that were created alone: port %s is of %q", p.ID, p.DeviceOwner)
		}
		if meta, err = updateKept(c, in.Port.apply); err != nil {
			return nil, nil, err
		}
	}
	if pairs := in.Port.AllowedAddressPairs; pairs.there {
		if meta, err = allow(c, p, pairs.value); err != nil {
			return nil, nil, err
		}
	}
	if groups := in.Port.SecurityGroups; groups.there {
		if meta, err = secure(c, p, groups.value); err != nil {
			return nil, nil, err
		}
	}
	changed, err := portAt(c, c.UUID)
	return map[string]any{"port": changed}, meta, err
}

// exists reports whether the port exists by itself.
func (p port) exists() bool { return service.Ports.ID(p.ID) != "" }

// ofServer refuses a change of a port that is not one of an instance.
func (p port) ofServer(what string) error {
	if p.owner.Kind != simcloud.KindInstance {
		return refuse(simcloud.Unimplemented, http.StatusNotImplemented, "HTTPNotImplemented",
			"simcloud simulates %s of the ports of servers alone: port %s is of %q", what, p.ID, p.DeviceOwner)
	}
	return nil
}

// allow replaces the allowed address pairs of a port.
func allow(c service.Call, p port, pairs []addressPair) (*simcloud.Meta, error) {
	if err := p.ofServer("allowed address pairs"); err != nil {
		return nil, err
	}
	switch {
	case p.AllowedAddressPairs == nil:
		return nil, service.Wrong("port.allowed_address_pairs", "is not allowed: the cloud does not have the extension %s", allowedAddressPairs)
	case len(pairs) > maxPairs:
		return nil, refuse(simcloud.Invalid, http.StatusBadRequest, "AllowedAddressPairExhausted", "The number of allowed address pair exceeds the maximum %d.", maxPairs)
	}
	normal := make([]addressPair, 0, len(pairs))
	for _, pair := range pairs {
		read, err := normalPair(pair, p.MACAddress)
		if err != nil {
			return nil, err
		}
		if slices.Contains(normal, read) {
			return nil, refuse(simcloud.Invalid, http.StatusBadRequest, "DuplicateAddressPairInRequest",
				"Request contains duplicate address pair: mac_address %s ip_address %s.", read.MACAddress, read.IPAddress)
		}
		normal = append(normal, read)
	}
	return keep(c, p, optionPairs, keptPairs(normal, p.MACAddress))
}

// normalPair reads a pair, whose hardware address is that of the port where the request has none.
func normalPair(pair addressPair, mac string) (addressPair, error) {
	_, errAddr := netip.ParseAddr(pair.IPAddress)
	_, errPrefix := netip.ParsePrefix(pair.IPAddress)
	if errAddr != nil && errPrefix != nil {
		return pair, service.Wrong("port.allowed_address_pairs.ip_address", "%q is not allowed: must be an IP address or a CIDR", clip(pair.IPAddress))
	}
	if pair.MACAddress == "" {
		pair.MACAddress = mac
		return pair, nil
	}
	const bytes = 6
	hardware, err := net.ParseMAC(pair.MACAddress)
	if err != nil || len(hardware) != bytes {
		return pair, service.Wrong("port.allowed_address_pairs.mac_address", "%q is not allowed: must be a MAC address", clip(pair.MACAddress))
	}
	pair.MACAddress = hardware.String()
	return pair, nil
}

// keep replaces a list that the port of an instance has as an option.
func keep(c service.Call, p port, option string, list []string) (*simcloud.Meta, error) {
	instance, err := c.Cloud.GetInstance(c.Ctx(), p.owner.ID)
	if err != nil {
		return nil, err
	}
	kept := withOption(instance.Options, option, p.network, list)
	changed, err := c.Cloud.UpdateInstance(c.Ctx(), p.owner.ID, simcloud.InstanceUpdate{Options: &kept})
	return &changed.Resource.Meta, err
}

// secure replaces the security groups of a port.
func secure(c service.Call, p port, uuids []string) (*simcloud.Meta, error) {
	if !p.exists() {
		if err := p.ofServer("the change of security groups"); err != nil {
			return nil, err
		}
	}
	groups := []simcloud.ID{}
	for _, uuid := range uuids {
		g, err := groupAt(c, uuid)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(groups, g.ID) {
			groups = append(groups, g.ID)
		}
	}
	if p.exists() {
		return updateKept(c, func(kept *keptPort) { kept.SecurityGroups = groupUUIDs(groups) })
	}
	changed, err := c.Cloud.UpdateInstance(c.Ctx(), p.owner.ID, simcloud.InstanceUpdate{SecurityGroups: &groups})
	return &changed.Resource.Meta, err
}

// maxTags is how many bytes the tags of a port have together.
const maxTags = 1024

// addPortTag gives a port a tag.
func addPortTag(c service.Call) (any, *simcloud.Meta, error) {
	p, err := portAt(c, c.UUID)
	if err != nil || slices.Contains(p.Tags, c.Part) {
		return nil, nil, err
	}
	if err := p.ofServer("tags"); err != nil {
		return nil, nil, err
	}
	if strings.Contains(c.Part, ",") {
		return nil, nil, service.Wrong("tag", "%q is not allowed: must not have a comma", clip(c.Part))
	}
	tags := append(p.Tags, c.Part)
	if len(strings.Join(tags, ",")) > maxTags {
		return nil, nil, service.Wrong("tag", "is too long: the tags of a port must have at most %d bytes together", maxTags)
	}
	meta, err := keep(c, p, optionTags, tags)
	return nil, meta, err
}

// removePortTag takes a tag from a port.
func removePortTag(c service.Call) (any, *simcloud.Meta, error) {
	p, err := portAt(c, c.UUID)
	if err != nil {
		return nil, nil, err
	}
	if !slices.Contains(p.Tags, c.Part) {
		return nil, nil, refuse(simcloud.NotFound, http.StatusNotFound, "TagNotFound", "Tag %s could not be found.", clip(c.Part))
	}
	meta, err := keep(c, p, optionTags, slices.DeleteFunc(slices.Clone(p.Tags), func(tag string) bool { return tag == c.Part }))
	return nil, meta, err
}
