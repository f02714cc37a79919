package explore

import (
	"fmt"
	"slices"
	"strings"

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
