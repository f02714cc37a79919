package mutant

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// groupMutants make with each load balancer what simcloud-ccm never makes, and what other providers are known to leave behind. Right
// has the one that removes it.
var groupMutants = []Mutant{
	{
		Name:     "security-group-left",
		Title:    "the security group that each load balancer gets stays when the Service goes",
		Issues:   []string{"aws#566", "kubernetes#109698", "kubernetes#79994"},
		KilledBy: "plain-day",
		Reason:   "leak 2 of the cloud's resources are left over",
		Lists:    `security_group/sg-1 "k8s-elb-`,
		api:      func(c *client.Client) ccm.CloudAPI { return grouping{c, makeSecurityGroup} },
	},
	{
		Name:     "target-group-left",
		Title:    "the target groups that a load balancer gets for its ports stay when the Service goes",
		KilledBy: "plain-day",
		Reason:   "leak 1 of the cloud's resources are left over",
		Lists:    `target_group/tg-1 "k8s-elb-`,
		api:      func(c *client.Client) ccm.CloudAPI { return grouping{c, makeTargetGroups} },
	},
}

// groupsRemoved makes both kinds of groups, and removes them after the load balancer.
var groupsRemoved = Mutant{
	Name:  "groups-removed",
	Title: "nothing: the right provider, which gives each load balancer a security group and target groups",
	api:   func(c *client.Client) ccm.CloudAPI { return grouping{c, makeGroups} },
	balancers: func(lbs *balancers) {
		lbs.remove = func(ctx context.Context, cluster string, svc *corev1.Service) error {
			if err := lbs.right.EnsureLoadBalancerDeleted(ctx, cluster, svc); err != nil {
				return err
			}
			return deleteGroups(ctx, lbs.cloud, svc)
		}
	},
}

// grouping makes groups before each load balancer.
type grouping struct {
	*client.Client
	make func(context.Context, *client.Client, *simcloud.LoadBalancerSpec) error
}

func (g grouping) CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	if err := g.make(ctx, g.Client, &spec); err != nil {
		return simcloud.Result[simcloud.LoadBalancer]{}, err
	}
	return g.Client.CreateLoadBalancer(ctx, spec, opts...)
}

func makeGroups(ctx context.Context, cloud *client.Client, spec *simcloud.LoadBalancerSpec) error {
	return errors.Join(makeSecurityGroup(ctx, cloud, spec), makeTargetGroups(ctx, cloud, spec))
}

// groupPrefix is how the names of groups begin.
const groupPrefix = "k8s-elb-"

// makeSecurityGroup makes a group that lets everyone in, and that the load balancer has.
func makeSecurityGroup(ctx context.Context, cloud *client.Client, spec *simcloud.LoadBalancerSpec) error {
	made, err := cloud.CreateSecurityGroup(ctx, simcloud.SecurityGroupSpec{
		Name: groupPrefix + spec.Name, Labels: spec.Labels, Network: spec.Network, Rules: []simcloud.SecurityGroupRuleSpec{{CIDR: "0.0.0.0/0"}},
	})
	spec.SecurityGroups = append(spec.SecurityGroups, made.Resource.ID)
	return err
}

// makeTargetGroups makes a group for each port. Nothing leads to it: the provider goes on with the targets of the load balancer.
func makeTargetGroups(ctx context.Context, cloud *client.Client, spec *simcloud.LoadBalancerSpec) error {
	for _, l := range spec.Listeners {
		_, err := cloud.CreateTargetGroup(ctx, simcloud.TargetGroupSpec{
			Name: groupPrefix + string(simcloud.ListenerID(l.Protocol, l.Port)) + "-" + spec.Name, Labels: spec.Labels, Network: spec.Network,
			Protocol: l.Protocol, Port: l.TargetPort,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// deleteGroups deletes the groups of a Service.
func deleteGroups(ctx context.Context, cloud *client.Client, svc *corev1.Service) error {
	security, err := simcloud.ListAll(ctx, cloud.ListSecurityGroups, simcloud.ListOptions{})
	if err != nil {
		return err
	}
	for _, group := range security {
		if group.Labels[label.ServiceUID] != string(svc.UID) {
			continue
		}
		if _, err := cloud.DeleteSecurityGroup(ctx, group.ID); err != nil {
			return err
		}
	}
	targets, err := simcloud.ListAll(ctx, cloud.ListTargetGroups, simcloud.ListOptions{})
	for _, group := range targets {
		if group.Labels[label.ServiceUID] != string(svc.UID) {
			continue
		}
		if _, err := cloud.DeleteTargetGroup(ctx, group.ID); err != nil {
			return err
		}
	}
	return err
}
