package simcloud

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fieldErrors collects what is wrong with a spec.
type fieldErrors []FieldError

func (f *fieldErrors) add(field, format string, args ...any) {
	*f = append(*f, FieldError{Field: field, Detail: fmt.Sprintf(format, args...)})
}

// nameRE is what a name may be: it can stand in a path and in an id.
var nameRE = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,251}[A-Za-z0-9])?$`)

func (f *fieldErrors) name(field, name string) {
	if !nameRE.MatchString(name) {
		f.add(field, "%q is not a name: 1 to 253 letters, digits, '-', '_' and '.', beginning and ending with a letter or digit", name)
	}
}

// dnsRE is a DNS name, as RFC 1123 has it.
var dnsRE = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*$`)

// dnsName checks the name of a host.
func (f *fieldErrors) dnsName(field, name string) {
	if len(name) > 253 || !dnsRE.MatchString(name) {
		f.add(field, "%q is not a DNS name such as www.example.com: up to 253 characters, in parts of 1 to 63 letters, digits and '-',"+
			" each beginning and ending with a letter or digit", name)
	}
}

// maxLabelKey is a DNS subdomain, a slash, and a name of 63, as Kubernetes has it.
const maxLabelKey = 317

func (f *fieldErrors) labels(field string, labels map[string]string) {
	f.texts(field, labels, textLimits{what: "labels", count: 64, key: maxLabelKey, value: 255})
}

// textLimits are how many texts there can be, and how many bytes their keys and values can have.
type textLimits struct {
	what              string
	count, key, value int
}

// texts checks texts that are free, within limits.
func (f *fieldErrors) texts(field string, texts map[string]string, limits textLimits) {
	if len(texts) > limits.count {
		f.add(field, "%d %s are too many: at most %d", len(texts), limits.what, limits.count)
	}
	for key, value := range texts {
		if key == "" || len(key) > limits.key {
			f.add(field, "the key %q has %d bytes: must have 1 to %d", key, len(key), limits.key)
		}
		if char := hiddenIn(key); char != "" {
			f.add(field, "the key %q has %s: only printable characters are allowed", key, char)
			continue
		}
		if len(value) > limits.value {
			f.add(field+"["+key+"]", "the value has %d bytes: must have at most %d", len(value), limits.value)
		}
		f.printable(field+"["+key+"]", value)
	}
}

// printable checks a text that is free but for what must not reach a terminal or a table.
func (f *fieldErrors) printable(field, text string) {
	if char := hiddenIn(text); char != "" {
		f.add(field, "%q has %s: only printable characters are allowed", text, char)
	}
}

// hiddenIn names the first character that is not visible, such as a control
// character or a bidirectional override, or the first byte that is no
// character; empty when there is none.
func hiddenIn(text string) string {
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(r)):
			return fmt.Sprintf("a byte that is not UTF-8, 0x%02x", text[i])
		case !strconv.IsGraphic(r):
			return fmt.Sprintf("the character %U", r)
		}
	}
	return ""
}

func (f *fieldErrors) cidr(field, cidr string) {
	prefix, err := netip.ParsePrefix(cidr)
	switch {
	case err != nil:
		f.add(field, "%q is not a CIDR such as 10.0.0.0/16", cidr)
	case prefix != prefix.Masked():
		f.add(field, "%q has host bits: must be %s", cidr, prefix.Masked())
	}
}

func (f *fieldErrors) port(field string, port int) {
	if port < 1 || port > maxPort {
		f.add(field, "invalid port %d: must be between 1 and %d", port, maxPort)
	}
}

func oneOf[T ~string](f *fieldErrors, field string, value T, allowed ...T) {
	if slices.Contains(allowed, value) {
		return
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	f.add(field, "invalid value %q: must be one of %s", string(value), strings.Join(names, ", "))
}

func (f *fieldErrors) nonNegative(field string, n int) {
	if n < 0 {
		f.add(field, "%d is below 0", n)
	}
}

// The Validate methods return an Invalid error that names every wrong field,
// or nil. They judge the request alone; whether it fits the cloud is core's to say.

// Validate checks the spec.
func (s RegionSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.labels("labels", s.Labels)
	return InvalidFields(string(KindRegion), f)
}

// Validate checks the spec.
func (s ZoneSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.name("region", string(s.Region))
	f.capacity("capacity", s.Capacity)
	f.labels("labels", s.Labels)
	return InvalidFields(string(KindZone), f)
}

// Validate checks the update.
func (u ZoneUpdate) Validate() error {
	var f fieldErrors
	if u.Capacity != nil {
		f.capacity("capacity", *u.Capacity)
	}
	f.nameAndLabels(nil, u.Labels)
	return InvalidFields(string(KindZone), f)
}

func (f *fieldErrors) capacity(field string, capacity map[ID]int) {
	for _, id := range slices.Sorted(maps.Keys(capacity)) {
		f.nonNegative(field+"["+string(id)+"]", capacity[id])
	}
}

// Validate checks the state.
func (s ZoneStateSpec) Validate() error {
	var f fieldErrors
	oneOf(&f, "state", s.State, ZoneAvailable, ZoneDegraded, ZoneDown)
	return InvalidFields(string(KindZone), f)
}

// Validate checks the spec.
func (s InstanceTypeSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	if s.VCPUs < 1 || s.VCPUs > MaxVCPUs {
		f.add("vcpus", "%d must be between 1 and %d", s.VCPUs, MaxVCPUs)
	}
	if s.MemoryMiB < 1 || s.MemoryMiB > MaxMemoryMiB {
		f.add("memoryMiB", "%d must be between 1 and %d", s.MemoryMiB, MaxMemoryMiB)
	}
	f.labels("labels", s.Labels)
	return InvalidFields(string(KindInstanceType), f)
}

// Validate checks the spec.
func (s NetworkSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	if len(s.CIDRs) == 0 || len(s.CIDRs) > 2 {
		f.add("cidrs", "%d ranges: one IPv4, one IPv6, or one of each", len(s.CIDRs))
	}
	for i, cidr := range s.CIDRs {
		f.cidr(fmt.Sprintf("cidrs[%d]", i), cidr)
	}
	if len(s.CIDRs) == 2 && len(f) == 0 {
		a, b := netip.MustParsePrefix(s.CIDRs[0]), netip.MustParsePrefix(s.CIDRs[1])
		if a.Addr().Is4() == b.Addr().Is4() {
			f.add("cidrs[1]", "%s is of the same family as %s: at most one of each family is allowed", b, a)
		}
	}
	f.labels("labels", s.Labels)
	return InvalidFields(string(KindNetwork), f)
}

// Validate checks the update.
func (u NetworkUpdate) Validate() error {
	return validateUpdate(KindNetwork, u.Name, u.Labels)
}

// Validate checks the spec.
func (s SubnetSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.cidr("cidr", s.CIDR)
	f.labels("labels", s.Labels)
	return InvalidFields(string(KindSubnet), f)
}

// Validate checks the update.
func (u SubnetUpdate) Validate() error {
	return validateUpdate(KindSubnet, u.Name, u.Labels)
}

// maxUserData is how many bytes of user data an instance takes. Each of its
// events has them.
const maxUserData = 64 << 10

// Validate checks the spec.
func (s InstanceSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	if s.Hostname != "" {
		f.name("hostname", s.Hostname)
	}
	f.userData(s.UserData)
	f.sshKeys(s.SSHKeys)
	f.labels("labels", s.Labels)
	f.securityGroups(s.SecurityGroups)
	f.networks("networks", s.Networks)
	f.address("privateAddress", s.PrivateAddress, 0)
	if len(s.PublicFamilies) > 0 && s.NoPublicAddress {
		f.add("publicFamilies", "may only be set without noPublicAddress")
	}
	f.families("publicFamilies", s.PublicFamilies)
	f.options("options", s.Options)
	return InvalidFields(string(KindInstance), f)
}

func (f *fieldErrors) userData(text string) {
	if len(text) > maxUserData {
		f.add("userData", "has %d bytes: must have at most %d", len(text), maxUserData)
	}
}

func (f *fieldErrors) sshKeys(keys []ID) {
	if len(keys) > MaxSSHKeys {
		f.add("sshKeys", "%d keys are too many: at most %d", len(keys), MaxSSHKeys)
	}
	f.distinct("sshKeys", keys)
}

// distinct finds an id that is empty or stands in a list twice.
func (f *fieldErrors) distinct(field string, ids []ID) {
	seen := map[ID]int{}
	for i, id := range ids {
		path := fmt.Sprintf("%s[%d]", field, i)
		if first, twice := seen[id]; twice {
			f.add(path, "%s is %s[%d] already", id, field, first)
		}
		if id == "" {
			f.add(path, "must not be empty")
		}
		seen[id] = i
	}
}

// Validate checks the update.
func (u InstanceUpdate) Validate() error {
	var f fieldErrors
	f.nameAndLabels(u.Name, u.Labels)
	f.ptrs("ptrs", u.PTRs)
	if u.SecurityGroups != nil {
		f.securityGroups(*u.SecurityGroups)
	}
	f.newOptions(u.Options)
	return InvalidFields(string(KindInstance), f)
}

// validateUpdate checks what all updates have.
func validateUpdate(kind Kind, name *string, labels *map[string]string) error {
	var f fieldErrors
	f.nameAndLabels(name, labels)
	return InvalidFields(string(kind), f)
}

func (f *fieldErrors) nameAndLabels(name *string, labels *map[string]string) {
	if name != nil {
		f.name("name", *name)
	}
	if labels != nil {
		f.labels("labels", *labels)
	}
}

// Validate checks the spec.
func (s FloatingIPSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.labels("labels", s.Labels)
	f.address("address", s.Address, s.Family)
	f.ptr("ptr", s.PTR)
	f.options("options", s.Options)
	if s.AttachedTo != (Attachment{}) {
		f.attachment("attachedTo.", s.AttachedTo)
	}
	return InvalidFields(string(KindFloatingIP), f)
}

// address checks an address of a family, each of which may be left out.
func (f *fieldErrors) address(field, text string, family int) {
	if family != 0 && family != 4 && family != 6 {
		f.add("family", "%d is not 4 or 6", family)
	}
	if text == "" {
		return
	}
	addr, err := netip.ParseAddr(text)
	switch {
	case err != nil:
		f.add(field, "%q is not an IP address", text)
	case addr.Is4() && family == 6, addr.Is6() && family == 4:
		f.add(field, "%s is not of family %d", text, family)
	}
}

func (f *fieldErrors) attachment(path string, a Attachment) {
	oneOf(f, path+"kind", a.Kind, KindInstance, KindLoadBalancer)
	if a.ID == "" {
		f.add(path+"id", "must not be empty: give the id of the resource to attach to")
	}
}

// Validate checks the update.
func (u FloatingIPUpdate) Validate() error {
	var f fieldErrors
	f.nameAndLabels(u.Name, u.Labels)
	if u.PTR != nil {
		f.ptr("ptr", *u.PTR)
	}
	f.newOptions(u.Options)
	return InvalidFields(string(KindFloatingIP), f)
}

// Validate checks where a floating IP is to be attached to.
func (a Attachment) Validate() error {
	var f fieldErrors
	f.attachment("", a)
	return InvalidFields(string(KindFloatingIP), f)
}

// Validate checks the spec.
func (s RouteTableSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.labels("labels", s.Labels)
	f.nonNegative("limit", s.Limit)
	return InvalidFields(string(KindRouteTable), f)
}

// Validate checks the update.
func (u RouteTableUpdate) Validate() error {
	var f fieldErrors
	f.nameAndLabels(u.Name, u.Labels)
	if u.Limit != nil && *u.Limit < 1 {
		f.add("limit", "%d is below 1", *u.Limit)
	}
	return InvalidFields(string(KindRouteTable), f)
}

// Validate checks the spec.
func (s RouteSpec) Validate() error {
	var f fieldErrors
	f.cidr("destination", s.Destination)
	if (s.NextHop.Instance == "") == (s.NextHop.Address == "") {
		f.add("nextHop", "exactly one of instance and address must be set")
	}
	if s.NextHop.Address != "" {
		if _, err := netip.ParseAddr(s.NextHop.Address); err != nil {
			f.add("nextHop.address", "%q is not an IP address", s.NextHop.Address)
		}
	}
	f.labels("labels", s.Labels)
	return InvalidFields(string(KindRouteTable), f)
}

// Validate checks the spec.
func (s FloatingIPPoolSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.cidr("cidr", s.CIDR)
	f.labels("labels", s.Labels)
	return InvalidFields(string(KindFloatingIPPool), f)
}

// maxFactor is how fast a scaled clock goes at most: a day in 86 ms.
const maxFactor = 1e6

// Validate checks the spec.
func (s ClockSpec) Validate() error {
	var f fieldErrors
	oneOf(&f, "mode", s.Mode, ClockReal, ClockScaled, ClockManual)
	switch {
	case s.Mode == ClockScaled && !(s.Factor > 0 && s.Factor <= maxFactor): // not the opposite: NaN is in no range
		f.add("factor", "invalid factor %v: must be above 0 and at most %v", s.Factor, float64(maxFactor))
	case s.Mode != ClockScaled && s.Factor != 0:
		f.add("factor", "may only be set when mode is scaled")
	}
	return InvalidFields("clock", f)
}
