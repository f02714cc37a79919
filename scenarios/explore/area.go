package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Area is a part of a CCM's work.
type Area string

// The areas.
const (
	Nodes     Area = "node"      // Nodes are initialised
	Lifecycle Area = "lifecycle" // they go when their VMs do, and not before
	Services  Area = "service"   // load balancers
	Routes    Area = "route"
)

// AllAreas returns all areas.
func AllAreas() []Area { return []Area{Nodes, Lifecycle, Services, Routes} }

// needs is the capability without which a CCM does nothing in an area.
func (a Area) needs() string {
	return map[Area]string{Nodes: "nodes", Lifecycle: "nodes", Services: "loadBalancers", Routes: "routes"}[a]
}

// AreasOf returns the areas in which a CCM of some capabilities works.
func AreasOf(able scenarios.CapabilitySet) []Area {
	return slices.DeleteFunc(AllAreas(), func(a Area) bool { return !able[a.needs()] })
}

// CheckAreas answers Invalid for an area in which a CCM of some capabilities does not work; nil is one that can do everything.
func CheckAreas(areas []Area, able scenarios.CapabilitySet) error {
	for _, a := range areas {
		if able != nil && !able[a.needs()] {
			return simcloud.InvalidFields("", []simcloud.FieldError{{
				Field: "--areas", Detail: fmt.Sprintf("%q needs the capability %s, which the CCM does not declare", a, a.needs()),
			}})
		}
	}
	return nil
}

// ParseAreas reads names of areas. It answers Invalid for any other name.
func ParseAreas(names []string) ([]Area, error) {
	var areas []Area
	for _, name := range names {
		if !slices.Contains(AllAreas(), Area(name)) {
			var known []string
			for _, a := range AllAreas() {
				known = append(known, string(a))
			}
			return nil, simcloud.InvalidFields("", []simcloud.FieldError{{
				Field: "--areas", Detail: fmt.Sprintf("%q is no area: want some of %s", name, strings.Join(known, ", ")),
			}})
		}
		areas = append(areas, Area(name))
	}
	return areas, nil
}
