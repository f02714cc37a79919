package aws_test

import (
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// group makes a security group of the first network.
func (w world) group(name string) {
	w.Helper()
	must[simcloud.Result[simcloud.SecurityGroup]](w)(w.native.CreateSecurityGroup(w.Context(), simcloud.SecurityGroupSpec{Name: name, Network: "net-1"}))
}

// TestGroupOfBalancerThatGoes: a load balancer that is not shown any more still has its groups.
func TestGroupOfBalancerThatGoes(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.Slow(time.Hour), simtest.ManualClock())
	later := func() {
		if _, err := w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	w.group("front")
	w.does(elb, "CreateLoadBalancer", classic("web", "SecurityGroups.member.1", "sg-1")...)
	later()
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"SecurityGroups/member", "sg-1")
	w.does(elb, "DeleteLoadBalancer", "LoadBalancerName", "web")
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"LoadBalancerName", "")
	w.refused("DependencyViolation", 400, ec2, "DeleteSecurityGroup", "GroupId", "sg-1")
	later()
	w.does(ec2, "DeleteSecurityGroup", "GroupId", "sg-1")
}

// TestTagsOfGroups: a group has the tag of a cluster by its label alone, unless it is the default group of its network. With
// two tagged groups on an instance the CCM fails.
func TestTagsOfGroups(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.group("nodes")
	w.group(simcloud.DefaultSecurityGroup)
	w.does(ec2, "DescribeSecurityGroups", "GroupId.1", "sg-1").has("securityGroupInfo/item/tagSet/item/key", "")
	w.does(ec2, "DescribeSecurityGroups", "GroupId.1", "sg-2").has("securityGroupInfo/item/tagSet/item/key", "kubernetes.io/cluster/simcloud")
	w.does(ec2, "CreateTags", "ResourceId.1", "sg-2", "Tag.1.Key", "kubernetes.io/cluster/other", "Tag.1.Value", "owned")
	w.does(ec2, "DescribeSecurityGroups", "GroupId.1", "sg-2").has("securityGroupInfo/item/tagSet/item/key", "kubernetes.io/cluster/other")
	w.refused("CannotDelete", 400, ec2, "DeleteSecurityGroup", "GroupId", "sg-2")
	// It is the one of a load balancer that names none.
	w.does(elb, "CreateLoadBalancer", classic("web")...)
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"SecurityGroups/member", "sg-2")
}

// TestJournalOfGroups: each action is about the group that it names, by the operation that it stands for.
func TestJournalOfGroups(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.group("a")
	w.group("b")
	rule := []string{
		"GroupId", "sg-1", "IpPermissions.1.IpProtocol", "tcp", "IpPermissions.1.FromPort", "80", "IpPermissions.1.ToPort", "80",
		"IpPermissions.1.IpRanges.1.CidrIp", "10.0.0.0/8",
	}
	for _, c := range []struct {
		action, operation, resource string
		fields                      []string
	}{
		{"DescribeSecurityGroups", "GetSecurityGroup", "security_group/sg-1", []string{"GroupId.1", "sg-1"}},
		{"DescribeSecurityGroups", "ListSecurityGroups", "security_group", nil},
		{"DescribeSecurityGroups", "ListSecurityGroups", "security_group", []string{"GroupId.1", "sg-1", "GroupId.2", "sg-2"}},
		{"AuthorizeSecurityGroupIngress", "AddSecurityGroupRules", "security_group/sg-1", rule},
		{"RevokeSecurityGroupIngress", "RemoveSecurityGroupRules", "security_group/sg-1", rule},
		{"CreateTags", "UpdateSecurityGroup", "security_group/sg-1", []string{"ResourceId.1", "sg-1", "Tag.1.Key", "a"}},
		{"DeleteTags", "UpdateInstance", "instance/i-1", []string{"ResourceId.1", "i-1", "Tag.1.Key", "a"}},
		{"DeleteSecurityGroup", "DeleteSecurityGroup", "security_group/sg-1", []string{"GroupId", "sg-1"}},
	} {
		w.does(ec2, c.action, c.fields...)
		entries := w.journal("aws:ec2:" + c.action)
		entry := entries[len(entries)-1]
		if entry.Operation != c.operation || entry.Resource != c.resource {
			t.Errorf("%s: the journal has %s of %q, want %s of %q", c.action, entry.Operation, entry.Resource, c.operation, c.resource)
		}
	}
}

// TestOneTaggedGroup: with default groups each instance is in exactly one group that has the tag of the cluster, beside those
// that the CCM makes for load balancers.
func TestOneTaggedGroup(t *testing.T) {
	t.Parallel()
	w := open(t)
	on := true
	must[simcloud.Config](t)(w.native.UpdateConfig(t.Context(), simcloud.ConfigUpdate{DefaultSecurityGroups: &on}))
	w.group("other")
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2", SecurityGroups: []simcloud.ID{"sg-1", "sg-2"}})
	w.does(ec2, "CreateSecurityGroup", "GroupName", "k8s-elb-web", "GroupDescription", "of a load balancer", "VpcId", "vpc-1",
		"TagSpecification.1.ResourceType", "security-group", "TagSpecification.1.Tag.1.Key", "kubernetes.io/cluster/simcloud", "TagSpecification.1.Tag.1.Value", "owned")
	w.does(ec2, "DescribeInstances").has(inReservation+"groupSet/item/groupId", "sg-2 sg-1 sg-2", inReservation+"groupSet/item/groupName", "default other default")
	w.does(ec2, "DescribeSecurityGroups", "Filter.1.Name", "tag-key", "Filter.1.Value.1", "kubernetes.io/cluster/simcloud").has("securityGroupInfo/item/groupId", "sg-2 sg-3")
	w.does(ec2, "DescribeSecurityGroups", "GroupId.1", "sg-2").has(
		"securityGroupInfo/item/ipPermissions/item/groups/item/groupId", "sg-2", "securityGroupInfo/item/ipPermissionsEgress/item/ipRanges/item/cidrIp", "0.0.0.0/0",
		"securityGroupInfo/item/ipPermissionsEgress/item/ipv6Ranges/item/cidrIpv6", "::/0")
}
