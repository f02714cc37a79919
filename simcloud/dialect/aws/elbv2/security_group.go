package elbv2

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// groups are the security groups of a load balancer in a network, by their ids.
func groups(c service.Call, network simcloud.ID, ids []string) ([]simcloud.ID, error) {
	var all []simcloud.ID
	for _, id := range unique(ids) {
		g, err := c.Cloud.GetSecurityGroup(c.Ctx(), simcloud.ID(id))
		switch {
		case absent(err):
			return nil, service.Refuse(simcloud.NotFound, "InvalidSecurityGroup", "The security group '%.40s' does not exist", id)
		case err != nil:
			return nil, err
		case g.Network != "" && g.Network != network:
			return nil, service.Refuse(simcloud.Invalid, "InvalidSecurityGroup", "The security group '%s' is not in the VPC of the load balancer", id)
		}
		all = append(all, g.ID)
	}
	return all, nil
}

type setGroupsRequest struct {
	ARN    string   `aws:"LoadBalancerArn,required"`
	Groups []string `aws:"SecurityGroups,required"`
}

type groupsSet struct {
	Groups []string `aws:"SecurityGroupIds"`
}

// setGroups replaces the security groups of a load balancer. One that was made without any never gets any.
func setGroups(c service.Call, in setGroupsRequest) (out groupsSet, _ *simcloud.Meta, err error) {
	lb, err := balancerOf(c, in.ARN)
	if err != nil {
		return out, nil, err
	}
	if len(lb.SecurityGroups) == 0 {
		return out, nil, service.Refuse(simcloud.Conflict, "InvalidConfigurationRequest",
			"Security groups cannot be set on the load balancer '%s': it was created without any", in.ARN)
	}
	ids, err := groups(c, lb.Network, in.Groups)
	if err != nil {
		return out, nil, err
	}
	changed, err := c.Cloud.UpdateLoadBalancer(c.Ctx(), lb.ID, simcloud.LoadBalancerUpdate{SecurityGroups: &ids})
	return groupsSet{unique(in.Groups)}, &changed.Resource.Meta, err
}
