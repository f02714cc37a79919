package simcloud

import "net/netip"

// Key identifies the target in its load balancer: it is the id of the instance, or else the address.
func (t Target) Key() ID { return targetKey(t.Instance, t.Address) }

// Key identifies the target in its load balancer: it is the id of the instance, or else the address.
func (s TargetSpec) Key() ID { return targetKey(s.Instance, s.Address) }

// Key is the id of the instance, or else the address. With the port it identifies the target in its group.
func (s GroupTargetSpec) Key() ID { return targetKey(s.Instance, s.Address) }

func targetKey(instance ID, address string) ID {
	if instance != "" {
		return instance
	}
	return ID(PlainAddress(address))
}

// TargetOf splits the key of a target: into the id of an instance or an address.
func TargetOf(key ID) (instance ID, address string) {
	if addr, err := netip.ParseAddr(string(key)); err == nil {
		return "", addr.String()
	}
	return key, ""
}

// PlainAddress is an IP address as the cloud writes it; any other text stays what it is.
func PlainAddress(text string) string {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return text
	}
	return addr.String()
}

// destinationOf checks that a target is either an instance or an address to which packets can be sent.
func (f *fieldErrors) destinationOf(path string, instance ID, address string) {
	switch {
	case instance == "" && address == "":
		f.add(path+"instance", "must not be empty: give the id of an instance, or an address")
	case instance != "" && address != "":
		f.add(path+"address", "may only be set without instance: a target is an instance or an address")
	case address != "":
		f.targetAddress(path+"address", address)
	default:
	}
}

func (f *fieldErrors) targetAddress(field, address string) {
	addr, err := netip.ParseAddr(address)
	switch {
	case err != nil:
		f.add(field, "%q is not an IP address: must be one such as 192.0.2.7 or 2001:db8::7", address)
	case addr.Zone() != "" || addr.Is4In6():
		f.add(field, "%q must be a plain address of IPv4 or IPv6", address)
	case addr.IsUnspecified() || addr.IsMulticast():
		f.add(field, "%s cannot be a target: must be the address of one machine, neither unspecified nor multicast", address)
	}
}

// targetField is the field that names a target.
func targetField(address string) string {
	if address != "" {
		return "address"
	}
	return "instance"
}
