package ec2

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// Place is where a subnet is.
type Place struct {
	Subnet, Zone, CIDR string
	Network            simcloud.ID
}

// Places are where all subnets are.
func Places(c service.Call) ([]Place, error) {
	all, err := allSubnets(c)
	places := make([]Place, len(all))
	for i, s := range all {
		places[i] = Place{Subnet: s.ID, Zone: s.Zone, CIDR: s.CIDR, Network: NetworkID(s.VPCID)}
	}
	return places, err
}

// NetworkID is the network that a VPC is, by its id; empty for the id of something else.
func NetworkID(vpc string) simcloud.ID { return service.FromNumber(vpcPrefix, vpc, networkPrefix) }
