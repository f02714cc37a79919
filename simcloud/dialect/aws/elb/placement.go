package elb

import (
	"errors"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// familyIPv4 is that of all addresses of classic load balancers.
const familyIPv4 = 4

// placements are those of a load balancer in subnets, and the network that these are in.
func placements(c service.Call, ids []string) (simcloud.ID, []simcloud.LoadBalancerPlacement, error) {
	network, err := ec2.NetworkOf(c, ids)
	if err != nil {
		return "", nil, OfSubnets(err)
	}
	places, err := ec2.Places(c)
	if err != nil {
		return "", nil, err
	}
	chosen, err := ec2.InZones(places, ids)
	all := make([]simcloud.LoadBalancerPlacement, len(chosen))
	for i, at := range chosen {
		all[i] = at.Placement(familyIPv4)
	}
	return network, all, err
}

// chooseSubnets finds subnets for the zones of a request that names zones: the first of the first network in each.
func (in *createRequest) chooseSubnets(c service.Call) error {
	switch {
	case len(in.Subnets) == 0 && len(in.Zones) == 0:
		return service.Refuse(simcloud.Invalid, "ValidationError", "Either AvailabilityZones or SubnetIds must be specified")
	case len(in.Subnets) > 0 && len(in.Zones) > 0:
		return service.Refuse(simcloud.Invalid, "ValidationError", "Only one of SubnetIds or AvailabilityZones may be specified")
	case len(in.Subnets) > 0:
		return nil
	}
	places, err := ec2.Places(c)
	if err != nil {
		return err
	}
	for _, zone := range in.Zones {
		id := ""
		for _, at := range places {
			if id == "" && at.Network == places[0].Network && at.Zone == zone {
				id = at.Subnet
			}
		}
		if id == "" {
			return service.Refuse(simcloud.Invalid, "ValidationError", "Invalid Availability Zone: %s", query.Clip(zone))
		}
		in.Subnets = append(in.Subnets, id)
	}
	return nil
}

// OfSubnets is the error for subnets of a request.
func OfSubnets(err error) error {
	switch simcloud.CodeOf(err) {
	case simcloud.NotFound:
		return service.Refuse(simcloud.NotFound, "SubnetNotFound", "%s", textOf(err))
	case simcloud.Invalid:
		return service.Refuse(simcloud.Invalid, "InvalidSubnet", "%s", textOf(err))
	default:
		return err
	}
}

// textOf is an error without its code.
func textOf(err error) string {
	_, text, _ := strings.Cut(err.Error(), ": ")
	return text
}

// Placed is the error of the cloud for the placements of a load balancer: an address that something else has, or a subnet without
// free ones.
func Placed(err error, scheme simcloud.Scheme) error {
	var own *simcloud.Error
	switch {
	case !errors.As(err, &own):
		return err
	case own.Code == simcloud.AlreadyExists && len(own.Fields) > 0:
		return service.Refuse(simcloud.InUse, "ResourceInUse", "%s", own.Fields[0].Detail)
	case own.Code == simcloud.Capacity && scheme == simcloud.SchemeInternal:
		return service.Refuse(simcloud.Capacity, "InvalidSubnet", "Not enough IP space available in a subnet of the load balancer: %s", own.Message)
	default:
		return err
	}
}
