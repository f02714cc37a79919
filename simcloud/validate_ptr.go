package simcloud

import "net/netip"

// ptr checks a name in reverse DNS, which may be empty.
func (f *fieldErrors) ptr(field, name string) {
	if name != "" {
		f.dnsName(field, name)
	}
}

// maxPTRs is how many names one update changes.
const maxPTRs = 64

// ptrs checks names in reverse DNS, by their addresses.
func (f *fieldErrors) ptrs(field string, names *map[string]string) {
	if names == nil {
		return
	}
	if len(*names) > maxPTRs {
		f.add(field, "%d names are too many: at most %d", len(*names), maxPTRs)
		return
	}
	for address, name := range *names {
		if _, err := netip.ParseAddr(address); err != nil {
			f.add(field, "the key %q is not an IP address", address)
			continue
		}
		f.ptr(field+"["+address+"]", name)
	}
}
