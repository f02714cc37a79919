package sdktest

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestDependencyViolation: a group stays while an instance, a load balancer or a rule of another group refers to it.
func TestDependencyViolation(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, c := range []struct {
		name      string
		use, free func(id string) error
	}{
		{
			"instance",
			func(id string) error {
				return last(w.native.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node", SecurityGroups: []simcloud.ID{simcloud.ID(id)}}))
			},
			func(string) error { return last(w.native.DeleteInstance(t.Context(), "i-1")) },
		},
		{
			"balancer",
			func(id string) error {
				in := web()
				in.SecurityGroups = []string{id}
				return last(w.elb.CreateLoadBalancer(t.Context(), in))
			},
			func(string) error {
				return last(w.elb.DeleteLoadBalancer(t.Context(), &elb.DeleteLoadBalancerInput{LoadBalancerName: name}))
			},
		},
		{
			"rule",
			func(id string) error { return w.authorize(w.group("referring"), fromGroup(id)) },
			func(id string) error {
				return w.revoke(aws.ToString(w.groups(ec2.DescribeSecurityGroupsInput{GroupNames: []string{"referring"}})[0].GroupId), fromGroup(id))
			},
		},
		{"itself", func(id string) error { return w.authorize(id, fromGroup(id)) }, nil},
	} {
		id := w.group(c.name)
		if err := c.use(id); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if c.free != nil {
			refused(t, w.deleteGroup(id), "DependencyViolation")
			if err := c.free(id); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		if err := w.deleteGroup(id); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestGroupsOfClassic: the groups of a load balancer are those of the cloud's, and unknown ones are refused.
func TestGroupsOfClassic(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "other", CIDRs: []string{"192.168.7.0/24"}}))
	a, b := w.group("a"), w.group("b")
	foreign := newGroup("c")
	foreign.VpcId = aws.String("vpc-2")
	c := aws.ToString(must[*ec2.CreateSecurityGroupOutput](t)(w.ec2.CreateSecurityGroup(t.Context(), foreign)).GroupId)
	create := func(ids ...string) error {
		in := web()
		in.SecurityGroups = ids
		return last(w.elb.CreateLoadBalancer(t.Context(), in))
	}
	refused(t, create("sg-9"), "InvalidSecurityGroup")
	refused(t, create(c), "InvalidConfigurationRequest")
	refused(t, create(a, a), "InvalidConfigurationRequest")
	if err := create(a); err != nil {
		t.Fatal(err)
	}
	shown := func() string {
		all := must[*elb.DescribeLoadBalancersOutput](t)(w.elb.DescribeLoadBalancers(t.Context(), nil)).LoadBalancerDescriptions
		return strings.Join(all[0].SecurityGroups, " ")
	}
	if got := shown(); got != a {
		t.Errorf("it has %s", got)
	}
	if err := w.apply(b, a); err != nil {
		t.Fatal(err)
	}
	refused(t, w.apply("sg-9"), "InvalidSecurityGroup")
	refused(t, w.apply(c), "InvalidConfigurationRequest")
	refused(t, w.apply([]string{}...), "ValidationError")
	have := must[simcloud.LoadBalancer](t)(w.native.GetLoadBalancer(t.Context(), "lb-1"))
	if got := shown(); got != b+" "+a || !slices.Equal(have.SecurityGroups, []simcloud.ID{simcloud.ID(b), simcloud.ID(a)}) {
		t.Errorf("it has %s, in the cloud %v", got, have.SecurityGroups)
	}
	refused(t, last(w.elb.ApplySecurityGroupsToLoadBalancer(t.Context(), &elb.ApplySecurityGroupsToLoadBalancerInput{
		LoadBalancerName: aws.String("none"), SecurityGroups: []string{a},
	})), "LoadBalancerNotFound")
}

// TestGroupsOfInstance: an instance shows its groups by id and name.
func TestGroupsOfInstance(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.group("a")
	w.instance(simcloud.InstanceSpec{Name: "node-1", SecurityGroups: []simcloud.ID{simcloud.ID(a)}})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	all := must[*ec2.DescribeInstancesOutput](t)(w.ec2.DescribeInstances(t.Context(), nil)).Reservations
	one, other := all[0].Instances[0], all[1].Instances[0]
	if g := one.SecurityGroups; len(g) != 1 || aws.ToString(g[0].GroupId) != a || aws.ToString(g[0].GroupName) != "a" {
		t.Errorf("the first has %+v", g)
	}
	if g := one.NetworkInterfaces[0].Groups; len(g) != 1 || aws.ToString(g[0].GroupId) != a {
		t.Errorf("its interface has %+v", g)
	}
	if len(other.SecurityGroups) != 0 {
		t.Errorf("the second has %+v", other.SecurityGroups)
	}
	found := must[*ec2.DescribeInstancesOutput](t)(w.ec2.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{Filters: []types.Filter{filter("instance.group-id", a)}}))
	if len(found.Reservations) != 1 {
		t.Errorf("%d have the group", len(found.Reservations))
	}
}
