package sdktest

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
)

// tags are those that the CCM gives to all that it makes.
var tags = []types.Tag{{Key: aws.String("kubernetes.io/cluster/simcloud"), Value: aws.String("owned")}, {Key: aws.String("kubernetes.io/service-name"), Value: aws.String("default/net")}}

// network is the load balancer that the CCM makes for a Service with the type nlb.
func network(scheme types.LoadBalancerSchemeEnum) *elbv2.CreateLoadBalancerInput {
	return &elbv2.CreateLoadBalancerInput{
		Name: aws.String("net"), Type: types.LoadBalancerTypeEnumNetwork, Scheme: scheme, SecurityGroups: []string{}, Tags: tags,
		SubnetMappings: []types.SubnetMapping{{SubnetId: aws.String("subnet-zone-a")}, {SubnetId: aws.String("subnet-zone-b")}},
	}
}

// targetGroup is the target group that the CCM makes for a port of TCP.
func targetGroup(name string, nodePort int32) *elbv2.CreateTargetGroupInput {
	return &elbv2.CreateTargetGroupInput{
		Name: &name, Protocol: types.ProtocolEnumTcp, Port: &nodePort, VpcId: aws.String("vpc-1"), TargetType: types.TargetTypeEnumInstance,
		HealthCheckIntervalSeconds: aws.Int32(30), HealthCheckPort: aws.String("traffic-port"), HealthCheckProtocol: types.ProtocolEnumTcp,
		HealthyThresholdCount: aws.Int32(3), UnhealthyThresholdCount: aws.Int32(3), Tags: tags,
	}
}

// forwardTo is the action of a listener.
func forwardTo(group *string) []types.Action {
	return []types.Action{{TargetGroupArn: group, Type: types.ActionTypeEnumForward}}
}

// path is what a tour of network load balancers finds on its way.
type path struct{ balancer, group, other, listener *string }

func (p *path) listen(w world, port int32, group *string) error {
	out, err := w.elbv2.CreateListener(w.Context(), &elbv2.CreateListenerInput{
		LoadBalancerArn: p.balancer, Port: &port, Protocol: types.ProtocolEnumTcp, DefaultActions: forwardTo(group), Tags: tags,
	})
	if err == nil {
		p.listener = out.Listeners[0].ListenerArn
	}
	return err
}

func (p *path) create(scheme types.LoadBalancerSchemeEnum) func(world) error {
	return func(w world) error {
		out, err := w.elbv2.CreateLoadBalancer(w.Context(), network(scheme))
		if err == nil {
			p.balancer = out.LoadBalancers[0].LoadBalancerArn
		}
		return err
	}
}

func group(name string, nodePort int32, arn **string) func(world) error {
	return func(w world) error {
		out, err := w.elbv2.CreateTargetGroup(w.Context(), targetGroup(name, nodePort))
		if err == nil {
			*arn = out.TargetGroups[0].TargetGroupArn
		}
		return err
	}
}

// tourOfELBV2 has all actions of network load balancers.
func tourOfELBV2() []stop {
	p := &path{}
	byName := func(w world) error {
		return last(w.elbv2.DescribeLoadBalancers(w.Context(), &elbv2.DescribeLoadBalancersInput{Names: []string{"net"}}))
	}
	made := []stop{
		{"network-unknown", byName, "LoadBalancerNotFound"},
		{"network", p.create(""), ""},
		{"network-again", p.create(""), ""},
		{"network-other", p.create(types.LoadBalancerSchemeEnumInternal), "DuplicateLoadBalancerName"},
		{"network-by-name", byName, ""},
		{"network-by-arn", func(w world) error {
			return last(w.elbv2.DescribeLoadBalancers(w.Context(), &elbv2.DescribeLoadBalancersInput{LoadBalancerArns: []string{*p.balancer}}))
		}, ""},
		{"group", group("group", 31000, &p.group), ""},
		{"group-again", group("group", 31000, &p.group), ""},
		{"group-other", group("group", 31001, &p.other), "DuplicateTargetGroupName"},
		{"group-more", group("more", 31001, &p.other), ""},
		{"group-by-arn", func(w world) error {
			return last(w.elbv2.DescribeTargetGroups(w.Context(), &elbv2.DescribeTargetGroupsInput{TargetGroupArns: []string{*p.group}}))
		}, ""},
		{"network-listener", func(w world) error { return p.listen(w, 80, p.group) }, ""},
		{"network-listener-again", func(w world) error { return p.listen(w, 80, p.group) }, ""},
		{"network-listener-other", func(w world) error { return p.listen(w, 80, p.other) }, "DuplicateListener"},
	}
	return slices.Concat(made, p.targets(), p.changes(), p.end(), p.groups())
}

// targets are the stops with the targets of a group.
func (p *path) targets() []stop {
	members := []types.TargetDescription{{Id: aws.String("i-1"), Port: aws.Int32(31000)}, {Id: aws.String("i-2"), Port: aws.Int32(31000)}}
	return []stop{
		{"targets", func(w world) error {
			return last(w.elbv2.RegisterTargets(w.Context(), &elbv2.RegisterTargetsInput{TargetGroupArn: p.group, Targets: members}))
		}, ""},
		{"target-unknown", func(w world) error {
			return last(w.elbv2.RegisterTargets(w.Context(), &elbv2.RegisterTargetsInput{TargetGroupArn: p.group, Targets: []types.TargetDescription{{Id: aws.String("i-9")}}}))
		}, "InvalidTarget"},
		{"target-health", func(w world) error {
			return last(w.elbv2.DescribeTargetHealth(w.Context(), &elbv2.DescribeTargetHealthInput{TargetGroupArn: p.group}))
		}, ""},
		{"target-removed", func(w world) error {
			return last(w.elbv2.DeregisterTargets(w.Context(), &elbv2.DeregisterTargetsInput{TargetGroupArn: p.group, Targets: members[:1]}))
		}, ""},
	}
}

// changes are the stops that change what there is.
func (p *path) changes() []stop {
	return []stop{
		{"network-listeners", func(w world) error {
			return last(w.elbv2.DescribeListeners(w.Context(), &elbv2.DescribeListenersInput{LoadBalancerArn: p.balancer}))
		}, ""},
		{"groups-of-network", func(w world) error {
			return last(w.elbv2.DescribeTargetGroups(w.Context(), &elbv2.DescribeTargetGroupsInput{LoadBalancerArn: p.balancer}))
		}, ""},
		{"group-changed", func(w world) error {
			return last(w.elbv2.ModifyTargetGroup(w.Context(), &elbv2.ModifyTargetGroupInput{
				TargetGroupArn: p.group, HealthCheckPort: aws.String("10256"), HealthyThresholdCount: aws.Int32(2), UnhealthyThresholdCount: aws.Int32(2),
			}))
		}, ""},
		{"network-attributes", func(w world) error {
			return last(w.elbv2.DescribeLoadBalancerAttributes(w.Context(), &elbv2.DescribeLoadBalancerAttributesInput{LoadBalancerArn: p.balancer}))
		}, ""},
		{"network-attributes-set", func(w world) error {
			return last(w.elbv2.ModifyLoadBalancerAttributes(w.Context(), &elbv2.ModifyLoadBalancerAttributesInput{
				LoadBalancerArn: p.balancer, Attributes: []types.LoadBalancerAttribute{{Key: aws.String("load_balancing.cross_zone.enabled"), Value: aws.String("true")}},
			}))
		}, ""},
		{"group-attributes", func(w world) error {
			return last(w.elbv2.DescribeTargetGroupAttributes(w.Context(), &elbv2.DescribeTargetGroupAttributesInput{TargetGroupArn: p.group}))
		}, ""},
		{"group-attributes-set", func(w world) error {
			return last(w.elbv2.ModifyTargetGroupAttributes(w.Context(), &elbv2.ModifyTargetGroupAttributesInput{
				TargetGroupArn: p.group, Attributes: []types.TargetGroupAttribute{{Key: aws.String("proxy_protocol_v2.enabled"), Value: aws.String("true")}},
			}))
		}, ""},
		{"network-subnets-set", func(w world) error {
			return last(w.elbv2.SetSubnets(w.Context(), &elbv2.SetSubnetsInput{LoadBalancerArn: p.balancer, Subnets: []string{"subnet-zone-a", "subnet-zone-b"}}))
		}, ""},
		{"network-type-set", func(w world) error {
			return last(w.elbv2.SetIpAddressType(w.Context(), &elbv2.SetIpAddressTypeInput{LoadBalancerArn: p.balancer, IpAddressType: types.IpAddressTypeIpv4}))
		}, ""},
		{"network-groups", func(w world) error {
			return last(w.elbv2.SetSecurityGroups(w.Context(), &elbv2.SetSecurityGroupsInput{LoadBalancerArn: p.balancer, SecurityGroups: []string{"sg-1"}}))
		}, "InvalidConfigurationRequest"},
		{"network-tags-added", func(w world) error {
			return last(w.elbv2.AddTags(w.Context(), &elbv2.AddTagsInput{
				ResourceArns: []string{*p.balancer, *p.listener, *p.group}, Tags: []types.Tag{{Key: aws.String("team"), Value: aws.String("shop")}},
			}))
		}, ""},
		{"network-tags-removed", func(w world) error {
			return last(w.elbv2.RemoveTags(w.Context(), &elbv2.RemoveTagsInput{ResourceArns: []string{*p.balancer}, TagKeys: []string{"kubernetes.io/service-name"}}))
		}, ""},
		{"network-tags", func(w world) error {
			return last(w.elbv2.DescribeTags(w.Context(), &elbv2.DescribeTagsInput{ResourceArns: []string{*p.balancer, *p.listener, *p.group}}))
		}, ""},
		{"network-listener-changed", func(w world) error {
			return last(w.elbv2.ModifyListener(w.Context(), &elbv2.ModifyListenerInput{
				ListenerArn: p.listener, Port: aws.Int32(80), Protocol: types.ProtocolEnumTcp, DefaultActions: forwardTo(p.other),
			}))
		}, ""},
	}
}

// end are the stops that remove what there is.
func (p *path) end() []stop {
	remove := func(arn **string) func(world) error {
		return func(w world) error {
			return last(w.elbv2.DeleteTargetGroup(w.Context(), &elbv2.DeleteTargetGroupInput{TargetGroupArn: *arn}))
		}
	}
	unlisten := func(w world) error {
		return last(w.elbv2.DeleteListener(w.Context(), &elbv2.DeleteListenerInput{ListenerArn: p.listener}))
	}
	gone := func(w world) error {
		return last(w.elbv2.DeleteLoadBalancer(w.Context(), &elbv2.DeleteLoadBalancerInput{LoadBalancerArn: p.balancer}))
	}
	return []stop{
		{"group-in-use", remove(&p.other), "ResourceInUse"},
		{"group-removed", remove(&p.group), ""},
		{"network-listener-removed", unlisten, ""},
		{"network-listener-removed-again", unlisten, "ListenerNotFound"},
		{"network-removed", gone, ""},
		{"network-removed-again", gone, ""},
		{"group-more-removed", remove(&p.other), ""},
	}
}

// groups are the stops of a load balancer that has security groups, as the CCM makes one in its mode Managed.
func (p *path) groups() []stop {
	var ids []string
	create := func(name string) func(world) error {
		return func(w world) error {
			out, err := w.ec2.CreateSecurityGroup(w.Context(), newGroup(name))
			if err == nil {
				ids = append(ids, *out.GroupId)
			}
			return err
		}
	}
	remove := func(i int) func(world) error {
		return func(w world) error {
			return last(w.ec2.DeleteSecurityGroup(w.Context(), &ec2.DeleteSecurityGroupInput{GroupId: &ids[i]}))
		}
	}
	return []stop{
		{"security-group", create("k8s-net"), ""},
		{"security-group-more", create("k8s-more"), ""},
		{"network-with-group", func(w world) error {
			in := network("")
			in.SecurityGroups = ids[:1]
			out, err := w.elbv2.CreateLoadBalancer(w.Context(), in)
			if err == nil {
				p.balancer = out.LoadBalancers[0].LoadBalancerArn
			}
			return err
		}, ""},
		{"network-groups-set", func(w world) error {
			return last(w.elbv2.SetSecurityGroups(w.Context(), &elbv2.SetSecurityGroupsInput{LoadBalancerArn: p.balancer, SecurityGroups: ids}))
		}, ""},
		{"security-group-in-use", remove(1), "DependencyViolation"},
		{"network-with-group-removed", func(w world) error {
			return last(w.elbv2.DeleteLoadBalancer(w.Context(), &elbv2.DeleteLoadBalancerInput{LoadBalancerArn: p.balancer}))
		}, ""},
		{"security-group-removed", remove(0), ""},
		{"security-group-more-removed", remove(1), ""},
	}
}
