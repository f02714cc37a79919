package ec2

import (
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

// describeTopology answers what EC2 answers for types that are in no network of a known shape: that there are no instances. The
// instances must exist.
func describeTopology(c service.Call, in describeTopologyRequest) (topology, error) {
	if len(in.IDs) == 0 {
		return topology{}, nil
	}
	_, err := instances(c, in.IDs)
	return topology{}, err
}
