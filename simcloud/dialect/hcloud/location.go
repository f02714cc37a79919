package hcloud

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// location is a zone of the cloud.
type location struct {
	ID          int64   `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Country     string  `json:"country"`
	City        string  `json:"city"`
	Latitude    float64 `json:"latitude"`
	Longitude   float64 `json:"longitude"`
	NetworkZone string  `json:"network_zone"`
}

// places are where the locations of Hetzner are. A zone with another name is nowhere.
var places = map[string]location{
	"fsn1": {Description: "Falkenstein DC Park 1", Country: "DE", City: "Falkenstein", Latitude: 50.47612, Longitude: 12.370071},
	"nbg1": {Description: "Nuremberg DC Park 1", Country: "DE", City: "Nuremberg", Latitude: 49.452102, Longitude: 11.076665},
	"hel1": {Description: "Helsinki DC Park 1", Country: "FI", City: "Helsinki", Latitude: 60.169855, Longitude: 24.938379},
	"ash":  {Description: "Ashburn, VA", Country: "US", City: "Ashburn, VA", Latitude: 39.045821, Longitude: -77.487073},
	"hil":  {Description: "Hillsboro, OR", Country: "US", City: "Hillsboro, OR", Latitude: 45.54222, Longitude: -122.951924},
	"sin":  {Description: "Singapore", Country: "SG", City: "Singapore", Latitude: 1.283333, Longitude: 103.833333},
}

func locationOf(zone simcloud.Zone) location {
	at, ok := places[zone.Name]
	if !ok {
		at.Description = "simulated zone " + zone.Name
	}
	at.ID, at.Name, at.NetworkZone = numberOfName(zone.Name), zone.Name, string(zone.Region)
	return at
}

func (c call) listLocations() (edge.Reply, error) {
	return list(c, "locations", c.cloud.ListZones, func(zones []simcloud.Zone) (any, error) { return each(zones, locationOf), nil }, nil)
}

func (c call) getLocation() (edge.Reply, error) {
	zones, err := all(c.ctx(), c.cloud.ListZones)
	if err != nil {
		return edge.Reply{}, err
	}
	i := slices.IndexFunc(zones, func(z simcloud.Zone) bool { return numberOfName(z.Name) == numberOf(c.id) })
	if i < 0 {
		return edge.Reply{}, simcloud.Errorf(simcloud.NotFound, "", "location with ID '%d' not found", numberOf(c.id))
	}
	return answered(200, "location", locationOf(zones[i])), nil
}

// place finds the zone that a request asks for by the name of a location or of a network zone.
// Which of them it has to name is for the caller to judge.
func (c call) place(ctx context.Context, name, networkZone string) (simcloud.Zone, error) {
	zones, err := all(ctx, c.cloud.ListZones)
	if err != nil {
		return simcloud.Zone{}, err
	}
	i := slices.IndexFunc(zones, func(z simcloud.Zone) bool {
		return name != "" && z.Name == name || networkZone != "" && string(z.Region) == networkZone
	})
	switch {
	case i >= 0:
		return zones[i], nil
	case name != "":
		return simcloud.Zone{}, wrong("location", "location %q not found", name)
	default:
		return simcloud.Zone{}, wrong("network_zone", "network zone %q not found", networkZone)
	}
}
