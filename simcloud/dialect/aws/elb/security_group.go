package elb

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// maxGroups is how many security groups a load balancer takes.
const maxGroups = 5

// groupIDs are the security groups of a load balancer.
func groupIDs(lb simcloud.LoadBalancer) []string {
	ids := make([]string, len(lb.SecurityGroups))
	for i, id := range lb.SecurityGroups {
		ids[i] = string(id)
	}
	return ids
}

// groupsOf returns the security groups that a request names for a load balancer in a network; without any the default group
// of the network, if it has one.
func groupsOf(c service.Call, network simcloud.ID, named []string) (ids []simcloud.ID, _ error) {
	all, err := service.All(c, c.Cloud.ListSecurityGroups)
	if err != nil {
		return nil, err
	}
	if len(named) > maxGroups {
		return nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "%d security groups are too many: at most %d", len(named), maxGroups)
	}
	for _, text := range named {
		i := slices.IndexFunc(all, func(g simcloud.SecurityGroup) bool { return string(g.ID) == text })
		switch {
		case i < 0:
			return nil, service.Refuse(simcloud.Invalid, "InvalidSecurityGroup", "One or more security groups are invalid: %s does not exist", query.Clip(text))
		case network != "" && all[i].Network != "" && all[i].Network != network:
			return nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "The security group %s is not in the VPC of the load balancer", text)
		case slices.Contains(ids, all[i].ID):
			return nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "The security group %s is named twice", text)
		}
		ids = append(ids, all[i].ID)
	}
	if len(named) > 0 {
		return ids, nil
	}
	for _, g := range all {
		if g.Name == simcloud.DefaultSecurityGroup && g.Network != "" && g.Network == network {
			return []simcloud.ID{g.ID}, nil
		}
	}
	return nil, nil
}

type applyGroupsRequest struct {
	Name   string   `aws:"LoadBalancerName,required"`
	Groups []string `aws:"SecurityGroups,required"`
}

type appliedGroups struct {
	Groups []string `aws:"SecurityGroups"`
}

// applyGroups replaces the security groups of a load balancer. The cloud changes nothing when it has these.
func applyGroups(c service.Call, in applyGroupsRequest) (out appliedGroups, _ *simcloud.Meta, err error) {
	lb, err := find(c, in.Name)
	if err != nil {
		return out, nil, err
	}
	ids, err := groupsOf(c, lb.Network, in.Groups)
	if err != nil {
		return out, nil, err
	}
	changed, err := c.Cloud.UpdateLoadBalancer(c.Ctx(), lb.ID, simcloud.LoadBalancerUpdate{SecurityGroups: &ids})
	if err != nil {
		return out, nil, err
	}
	return appliedGroups{groupIDs(changed.Resource)}, &changed.Resource.Meta, nil
}
