package ec2

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeZonesRequest struct {
	Names   []string         `aws:"ZoneName"`
	IDs     []string         `aws:"ZoneId"`
	All     bool             `aws:"AllAvailabilityZones"`
	Filters []service.Filter `aws:"Filter"`
}

type zones struct {
	Zones []zone `aws:"availabilityZoneInfo"`
}

// zone is an availability zone.
type zone struct {
	Name        string `aws:"zoneName"`
	ID          string `aws:"zoneId"`
	Type        string `aws:"zoneType"`
	State       string `aws:"zoneState"`
	Region      string `aws:"regionName"`
	GroupName   string `aws:"groupName"`
	OptInStatus string `aws:"optInStatus"`
	BorderGroup string `aws:"networkBorderGroup"`
}

// availabilityZone is the type of all zones. A local zone has no load balancers.
const availabilityZone = "availability-zone"

func describeZones(c service.Call, in describeZonesRequest) (out zones, err error) {
	all, err := service.All(c, c.Cloud.ListZones)
	if err != nil {
		return out, err
	}
	if all, err = namedZones(all, in); err != nil {
		return out, err
	}
	all, err = zoneFilters.Choose(all, in.Filters)
	out.Zones = make([]zone, len(all))
	for i, z := range all {
		out.Zones[i] = zoneOf(z)
	}
	return out, err
}

// namedZones returns the zones that a request names, or all when it names none.
func namedZones(all []simcloud.Zone, in describeZonesRequest) ([]simcloud.Zone, error) {
	if len(in.Names)+len(in.IDs) == 0 {
		return all, nil
	}
	for _, name := range append(slices.Clone(in.Names), in.IDs...) {
		if !slices.ContainsFunc(all, func(z simcloud.Zone) bool { return name == z.Name || name == zoneID(z.ID) }) {
			return nil, service.Refuse(simcloud.Invalid, "InvalidParameterValue", "Invalid availability zone: [%s]", name)
		}
	}
	return slices.DeleteFunc(all, func(z simcloud.Zone) bool {
		return !slices.Contains(in.Names, z.Name) && !slices.Contains(in.IDs, zoneID(z.ID))
	}), nil
}

// zoneID is the id that a zone has in all accounts, while its name is the account's own.
func zoneID(id simcloud.ID) string { return string(id) + "-id" }

func zoneOf(z simcloud.Zone) zone {
	shown := zone{
		Name: z.Name, ID: zoneID(z.ID), Type: availabilityZone, State: "available", Region: string(z.Region),
		GroupName: string(z.Region), OptInStatus: optedIn, BorderGroup: string(z.Region),
	}
	switch z.State {
	case simcloud.ZoneDown:
		shown.State = "unavailable"
	case simcloud.ZoneDegraded:
		shown.State = "impaired"
	case simcloud.ZoneAvailable:
	}
	return shown
}

// zoneFilters are the filters of zones, which have no tags.
var zoneFilters = service.Filters[simcloud.Zone]{
	Tags: func(simcloud.Zone) map[string]string { return nil },
	Facts: map[string]service.Facts[simcloud.Zone]{
		"group-name":    func(z simcloud.Zone) []string { return []string{string(z.Region)} },
		"opt-in-status": func(simcloud.Zone) []string { return []string{optedIn} },
		"region-name":   func(z simcloud.Zone) []string { return []string{string(z.Region)} },
		"state":         func(z simcloud.Zone) []string { return []string{zoneOf(z).State} },
		"zone-id":       func(z simcloud.Zone) []string { return []string{zoneID(z.ID)} },
		"zone-name":     func(z simcloud.Zone) []string { return []string{z.Name} },
		"zone-type":     func(simcloud.Zone) []string { return []string{availabilityZone} },
	},
}
