package ec2

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeRegionsRequest struct {
	Names   []string         `aws:"RegionName"`
	All     bool             `aws:"AllRegions"`
	Filters []service.Filter `aws:"Filter"`
}

type regions struct {
	Regions []region `aws:"regionInfo"`
}

type region struct {
	Name        string `aws:"regionName"`
	Endpoint    string `aws:"regionEndpoint"`
	OptInStatus string `aws:"optInStatus"`
}

// optedIn is the status of all regions and zones: none has to be asked for.
const optedIn = "opt-in-not-required"

func describeRegions(c service.Call, in describeRegionsRequest) (out regions, err error) {
	all, err := service.All(c, c.Cloud.ListRegions)
	if err != nil {
		return out, err
	}
	for _, name := range in.Names {
		if !slices.ContainsFunc(all, func(r simcloud.Region) bool { return string(r.ID) == name }) {
			return out, service.Refuse(simcloud.Invalid, "InvalidParameterValue", "Invalid region provided: %s", query.Clip(name))
		}
	}
	all = slices.DeleteFunc(all, func(r simcloud.Region) bool { return len(in.Names) > 0 && !slices.Contains(in.Names, string(r.ID)) })
	if all, err = regionFilters.Choose(all, in.Filters); err != nil {
		return out, err
	}
	for _, r := range all {
		out.Regions = append(out.Regions, region{string(r.ID), endpointOf(r), optedIn})
	}
	return out, nil
}

func endpointOf(r simcloud.Region) string { return "ec2." + string(r.ID) + ".amazonaws.com" }

// regionFilters are the filters of regions, which have no tags.
var regionFilters = service.Filters[simcloud.Region]{
	Tags: func(simcloud.Region) map[string]string { return nil },
	Facts: map[string]service.Facts[simcloud.Region]{
		"endpoint":      func(r simcloud.Region) []string { return []string{endpointOf(r)} },
		"opt-in-status": func(simcloud.Region) []string { return []string{optedIn} },
		"region-name":   func(r simcloud.Region) []string { return []string{string(r.ID)} },
	},
}
