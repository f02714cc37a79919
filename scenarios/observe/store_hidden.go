package observe

import (
	"maps"
	"slices"
)

// Of a control plane that is a Node of its own cluster, neither the Node nor
// its instance nor the routes to it are shown: what a scenario sees, counts and
// finds left over is the same on every backend.

// ofControlPlane reports whether a Node or an instance is that of the control plane.
func (s *Store) ofControlPlane(object map[string]any) bool {
	labels, ok := Dig(object, "labels").(map[string]any)
	if !ok {
		labels, _ = Dig(object, "metadata", "labels").(map[string]any)
	}
	return s.Hiding != "" && labels[s.Hiding] == "true"
}

// shownResourceLocked returns the visible part of a resource; false when the scenario does not see it.
func (s *Store) shownResourceLocked(variable, id string, object map[string]any) (map[string]any, bool) {
	switch variable {
	case "instances":
		if s.ofControlPlane(object) {
			s.hidden[id] = AddressesOf(object)
		}
		_, hidden := s.hidden[id]
		return object, !hidden
	case "routeTables":
		return s.withoutHiddenRoutesLocked(object), true
	}
	return object, true
}

// AddressesOf are the addresses of an instance.
func AddressesOf(instance map[string]any) []any {
	var all []any
	for _, a := range List(instance["addresses"]) {
		all = append(all, Dig(a, "address"))
	}
	return all
}

// withoutHiddenRoutesLocked leaves out the routes to the control plane.
func (s *Store) withoutHiddenRoutesLocked(table map[string]any) map[string]any {
	routes, ok := table["routes"].([]any)
	if !ok || len(s.hidden) == 0 {
		return table
	}
	shown := maps.Clone(table)
	shown["routes"] = slices.DeleteFunc(slices.Clone(routes), s.hiddenRouteLocked)
	return shown
}

func (s *Store) hiddenRouteLocked(route any) bool {
	if id, _ := Dig(route, "nextHop", "instance").(string); id != "" {
		_, hidden := s.hidden[id]
		return hidden
	}
	address := Dig(route, "nextHop", "address")
	for _, own := range s.hidden {
		if slices.Contains(own, address) {
			return true
		}
	}
	return false
}
