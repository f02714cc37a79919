package ec2

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeTopologyRequest struct {
	IDs     []string         `aws:"InstanceId"`
	Groups  []string         `aws:"GroupName"`
	Filters []service.Filter `aws:"Filter"`
	service.Pages
}

type topology struct {
	Instances []struct{} `aws:"instanceSet"`
	NextToken string     `aws:"nextToken"`
}

// topologyPages is how many instances a page has.
var topologyPages = service.PageSize{Least: 1, Most: 100}

// describeTopology answers what EC2 answers for types that are in no network of a known shape: that there are no instances. The
// instances must exist, a placement group does not, and what would choose among instances must be what EC2 has.
func describeTopology(c service.Call, in describeTopologyRequest) (out topology, err error) {
	if len(in.Groups) > 0 {
		return out, service.Refuse(simcloud.NotFound, "InvalidPlacementGroup.Unknown", "The Placement Group '%s' is unknown", query.Clip(in.Groups[0]))
	}
	if len(in.IDs) > 0 {
		if _, err := instances(c, in.IDs); err != nil {
			return out, err
		}
	}
	if out.Instances, err = topologyFilters.Choose(nil, in.Filters); err != nil {
		return out, err
	}
	out.Instances, out.NextToken, err = service.Cut(c, out.Instances, func(struct{}) string { return "" }, in.Pages, topologyPages, []any{in.IDs, in.Filters})
	return out, err
}

// topologyFilters are the filters of a topology. No instance comes as far as to be asked.
var topologyFilters = service.Filters[struct{}]{
	Tags:  func(struct{}) map[string]string { return nil },
	Facts: map[string]service.Facts[struct{}]{"availability-zone": noFacts, "instance-type": noFacts, "zone-id": noFacts, "zone-name": noFacts},
}

func noFacts(struct{}) []string { return nil }
