package ec2

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// Place is where a subnet is.
type Place struct {
	Subnet, Zone, CIDR string
	// IPv6 is the range of the subnet's IPv6 addresses; empty: it has none.
	IPv6    string
	Network simcloud.ID
	derived bool
}

// Placement is that of a load balancer with addresses of families in the subnet. In a derived one it is in the zone.
func (p Place) Placement(families ...int) simcloud.LoadBalancerPlacement {
	placement := simcloud.LoadBalancerPlacement{Zone: simcloud.ID(p.Zone), Families: families}
	if !p.derived {
		placement.Subnet = simcloud.ID(p.Subnet)
	}
	return placement
}

// DerivedSubnet is the id of the subnet that a zone has of a network, where no subnet of the cloud is.
func DerivedSubnet(zone, network simcloud.ID) string { return derivedSubnet(zone, network) }

// Places are where all subnets are.
func Places(c service.Call) ([]Place, error) {
	all, err := allSubnets(c)
	places := make([]Place, len(all))
	for i, s := range all {
		places[i] = Place{Subnet: s.ID, Zone: s.Zone, CIDR: s.CIDR, IPv6: s.range6(), Network: NetworkID(s.VPCID), derived: s.derived}
	}
	return places, err
}

// InZones are the places of subnets, by their ids, of which there is at most one in each zone. Two in one zone are Invalid.
func InZones(places []Place, ids []string) ([]Place, error) {
	var all []Place
	for _, id := range ids {
		i := slices.IndexFunc(places, func(p Place) bool { return p.Subnet == id })
		if i < 0 {
			return nil, unknownSubnet(id)
		}
		if other := slices.IndexFunc(all, func(p Place) bool { return p.Zone == places[i].Zone }); other >= 0 {
			return nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest",
				"A load balancer cannot be attached to multiple subnets in the same Availability Zone: %s and %s are in %s", all[other].Subnet, id, places[i].Zone)
		}
		all = append(all, places[i])
	}
	return all, nil
}

// NetworkID is the network that a VPC is, by its id; empty for the id of something else.
func NetworkID(vpc string) simcloud.ID { return service.FromNumber(vpcPrefix, vpc, networkPrefix) }
