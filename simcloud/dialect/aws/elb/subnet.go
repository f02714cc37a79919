package elb

import (
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type subnetsRequest struct {
	Name    string   `aws:"LoadBalancerName,required"`
	Subnets []string `aws:"Subnets,required"`
}

type subnets struct {
	Subnets []string `aws:"Subnets"`
}

// attachSubnets adds subnets. One that is there stays.
func attachSubnets(c service.Call, in subnetsRequest) (out subnets, _ *simcloud.Meta, err error) {
	lb, err := find(c, in.Name)
	if err != nil {
		return out, nil, err
	}
	network, err := ec2.NetworkOf(c, in.Subnets)
	if err != nil {
		return out, nil, OfSubnets(err)
	}
	if network != lb.Network {
		return out, nil, service.Refuse(simcloud.Invalid, "InvalidSubnet", "The subnets are in %s: must be in %s, as load balancer %s is", ec2.VPCID(network), ec2.VPCID(lb.Network), lb.Name)
	}
	all := subnetsOf(lb)
	for _, id := range in.Subnets {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return setSubnets(c, lb, all)
}

// detachSubnets removes subnets. One that is not there is removed already.
func detachSubnets(c service.Call, in subnetsRequest) (out subnets, _ *simcloud.Meta, err error) {
	lb, err := find(c, in.Name)
	if err != nil {
		return out, nil, err
	}
	left := slices.DeleteFunc(subnetsOf(lb), func(id string) bool { return slices.Contains(in.Subnets, id) })
	if len(left) == 0 {
		return out, nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "Load balancer %s must have at least one subnet", lb.Name)
	}
	return setSubnets(c, lb, left)
}

// setSubnets gives a load balancer the subnets, with an address in each. One that another API has made, or a simcloud
// before it knew placements, keeps its addresses.
func setSubnets(c service.Call, lb simcloud.LoadBalancer, ids []string) (out subnets, _ *simcloud.Meta, err error) {
	more := labels{}
	if err := more.put(labelSubnets, strings.Join(ids, " "), "Subnets"); err != nil {
		return out, nil, err
	}
	_, all, err := placements(c, ids)
	if err != nil {
		return out, nil, err
	}
	if len(lb.Placements()) == 0 {
		meta, err := relabel(c, lb, more)
		return subnets{ids}, meta, err
	}
	tags := more.with(lb.Labels)
	changed, err := c.Cloud.UpdateLoadBalancer(c.Ctx(), lb.ID, simcloud.LoadBalancerUpdate{Labels: &tags, Placements: &all})
	if err != nil {
		return out, nil, Placed(err, lb.Scheme)
	}
	return subnets{ids}, &changed.Resource.Meta, nil
}
