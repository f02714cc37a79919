package ec2

import (
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeGroupsRequest struct {
	IDs     []string         `aws:"GroupId"`
	Filters []service.Filter `aws:"Filter"`
	service.Pages
}

type securityGroups struct {
	Groups    []securityGroup `aws:"securityGroupInfo"`
	NextToken string          `aws:"nextToken"`
}

// securityGroup is a group that a load balancer names. It has no rules, and no tag of a cluster, for which the CCM would
// change or delete it.
type securityGroup struct {
	ID          string     `aws:"groupId"`
	Name        string     `aws:"groupName"`
	Description string     `aws:"groupDescription"`
	VPCID       string     `aws:"vpcId"`
	OwnerID     string     `aws:"ownerId"`
	Tags        []struct{} `aws:"tagSet"`
	Permissions []struct{} `aws:"ipPermissions"`
}

// groupPages is how many security groups a page has.
var groupPages = service.PageSize{Least: 5, Most: 1000}

// describeGroups shows the groups that load balancers name: that is all that is simulated of them.
func describeGroups(c service.Call, in describeGroupsRequest) (out securityGroups, err error) {
	lbs, err := service.All(c, c.Cloud.ListLoadBalancers)
	if err != nil {
		return out, err
	}
	var all []securityGroup
	for _, lb := range lbs {
		for _, id := range strings.Fields(lb.Labels[service.LabelGroups]) {
			if !slices.ContainsFunc(all, func(g securityGroup) bool { return g.ID == id }) {
				all = append(all, groupOf(id, lb))
			}
		}
	}
	if all, err = service.WithIDs(all, in.IDs, func(g securityGroup) string { return g.ID }, "InvalidGroup.NotFound", "security group"); err != nil {
		return out, err
	}
	if all, err = groupFilters.Choose(all, in.Filters); err != nil {
		return out, err
	}
	out.Groups, out.NextToken, err = service.Cut(c, all, func(g securityGroup) string { return g.ID }, in.Pages, groupPages, []any{in.IDs, in.Filters})
	return out, err
}

func groupOf(id string, lb simcloud.LoadBalancer) securityGroup {
	return securityGroup{ID: id, Name: id, Description: "named by " + lb.Name, VPCID: vpcID(lb.Network), OwnerID: service.Account(lb.Project)}
}

// groupFilters are the filters of security groups, which have no tags.
var groupFilters = service.Filters[securityGroup]{
	Tags: func(securityGroup) map[string]string { return nil },
	Facts: map[string]service.Facts[securityGroup]{
		"group-id":   func(g securityGroup) []string { return []string{g.ID} },
		"group-name": func(g securityGroup) []string { return []string{g.Name} },
		"vpc-id":     func(g securityGroup) []string { return []string{g.VPCID} },
	},
}
