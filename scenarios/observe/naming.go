package observe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// Naming is what the CCM under test calls the things of its cloud. Each is a text with
// fields of a VM in braces: {id}, {number} (the id without the letters before it), {number:012} (with twelve digits, as in
// a UUID), {name}, {zone} and {region}.
type Naming struct {
	// ProviderID is what a Node's providerID is; empty when it is not known: then it
	// ends with a slash and the id.
	ProviderID string
	// Zone and Region are what the labels for them say; empty means the VM's own.
	Zone, Region string
	// FloatingIPs is whether a load balancer that has floating IPs is known by these alone, and not by its addresses in
	// networks: a Service's status has no others.
	FloatingIPs bool
	// RouteCalls are operations of its cloud by which it prepares a VM for a route, as the journal names them.
	RouteCalls []string
	// IDs is how its cloud shows the ids of resources; nil: as they are.
	IDs dialect.IDs
	// TargetCalls are operations of its cloud that replace all targets of a load balancer, as the journal names them.
	TargetCalls []string
}

// NamingFields are what the texts of a Naming may have in braces.
func NamingFields() []string {
	return []string{"{id}", "{number}", "{number:012}", "{name}", "{zone}", "{region}"}
}

// ProviderIDOf is the providerID that the Node of a VM gets; empty when that is not known.
func (n Naming) ProviderIDOf(vm map[string]any) string { return fill(n.ProviderID, vm) }

// ZoneOf is what the zone of a VM's Node is labelled with.
func (n Naming) ZoneOf(vm map[string]any) string { return fill(or(n.Zone, "{zone}"), vm) }

// RegionOf is what the region of a VM's Node is labelled with.
func (n Naming) RegionOf(vm map[string]any) string { return fill(or(n.Region, "{region}"), vm) }

// ForRoute reports whether a call makes a route, or prepares a VM for one.
func (n Naming) ForRoute(call map[string]any) bool {
	return call["operation"] == "CreateRoute" || slices.Contains(n.RouteCalls, field(call, "dialectOperation"))
}

// RemovesTarget reports whether a call removes targets of a load balancer, or replaces all of them.
func (n Naming) RemovesTarget(call map[string]any) bool {
	return slices.Contains([]any{"DeleteTarget", "RemoveGroupTargets"}, call["operation"]) || slices.Contains(n.TargetCalls, field(call, "dialectOperation"))
}

// Names reports whether a providerID is that of a VM.
func (n Naming) Names(providerID string, vm map[string]any) bool {
	if n.ProviderID == "" {
		return strings.HasSuffix(providerID, "/"+field(vm, "id"))
	}
	return providerID == n.ProviderIDOf(vm)
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func fill(text string, vm map[string]any) string {
	id := field(vm, "id")
	_, number, _ := strings.Cut(id, "-")
	return strings.NewReplacer("{id}", id, "{number}", number, "{number:012}", fmt.Sprintf("%012s", number), "{name}", field(vm, "name"),
		"{zone}", field(vm, "zone"), "{region}", field(vm, "region")).Replace(text)
}

func field(vm map[string]any, name string) string {
	if vm[name] == nil {
		return ""
	}
	return fmt.Sprint(vm[name])
}
