package aws_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// meets adds a rule, and returns which of some requests it meets.
func (w world) meets(match fault.Match, effect fault.Effect, requests ...func() sent) string {
	w.Helper()
	must[fault.Rule](w)(w.native.AddFault(w.Context(), fault.Rule{Match: match, Effect: effect}))
	defer w.clearFaults()
	met := ""
	for _, ask := range requests {
		if ask().status == 503 {
			met += "x"
		} else {
			met += "-"
		}
	}
	return met
}

// TestFaultsByInstance: a rule with labels, a zone or a name meets each action that names such an instance, wherever it
// stands in the request, and no other.
func TestFaultsByInstance(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "a", Zone: "zone-a"})
	w.instance(simcloud.InstanceSpec{Name: "b", Zone: "zone-b", Labels: map[string]string{"team": "x"}})
	ask := func(action string, fields ...string) func() sent {
		return func() sent { return w.ask(ec2, action, fields...) }
	}
	unavailable := fault.Effect{Error: &fault.Problem{Code: simcloud.Unavailable}}
	for _, match := range []fault.Match{{Labels: "team=x"}, {Zone: "zone-b"}, {Resource: "b"}, {Resource: "instance/i-2"}} {
		for action, more := range map[string][]string{
			"DescribeInstances": nil, "DescribeInstanceTopology": nil, "RebootInstances": nil, "StopInstances": nil, "StartInstances": nil, "TerminateInstances": nil,
		} {
			match.Operation = "aws:ec2:" + action
			got := w.meets(match, unavailable,
				ask(action, append(more, "InstanceId.1", "i-2")...), ask(action, append(more, "InstanceId.1", "i-9", "InstanceId.2", "i-2")...),
				ask(action, "InstanceId.1", "i-9"), ask(action))
			if got != "xx--" {
				t.Errorf("%s by %+v is met as %s", action, match, got)
			}
		}
		match.Operation = "aws:ec2:ModifyInstanceAttribute"
		if got := w.meets(match, unavailable, ask("ModifyInstanceAttribute", "InstanceId", "i-2", "SourceDestCheck.Value", "false"),
			ask("ModifyInstanceAttribute", "InstanceId", "i-1", "SourceDestCheck.Value", "false")); got != "x-" {
			t.Errorf("ModifyInstanceAttribute by %+v is met as %s", match, got)
		}
		match.Operation = "aws:ec2:CreateTags"
		if got := w.meets(match, unavailable, ask("CreateTags", "ResourceId.1", "i-1", "ResourceId.2", "i-2", "Tag.1.Key", "k"),
			ask("CreateTags", "ResourceId.1", "i-1", "Tag.1.Key", "k")); got != "x-" {
			t.Errorf("CreateTags by %+v is met as %s", match, got)
		}
	}
}

// TestFaultsByBalancer: the same for load balancers, which requests name by their names, and for the tags of what is made.
func TestFaultsByBalancer(t *testing.T) {
	t.Parallel()
	w := open(t)
	tag := []string{"Tags.member.1.Key", "team", "Tags.member.1.Value", "x"}
	unavailable := fault.Effect{Error: &fault.Problem{Code: simcloud.Unavailable}}
	for _, c := range []struct{ edition, service, create string }{{elb, "elb", "LoadBalancerNames.member.1"}, {elbv2, "elbv2", "Names.member.1"}} {
		make := func(name string, more ...string) func() sent {
			fields := classic(name, more...)
			if c.edition == elbv2 {
				fields = network(name, more...)
			}
			return func() sent { return w.ask(c.edition, "CreateLoadBalancer", fields...) }
		}
		match := fault.Match{Labels: "team=x", Operation: "aws:" + c.service + ":CreateLoadBalancer"}
		if got := w.meets(match, unavailable, make(c.service+"-1", tag...), make(c.service+"-2")); got != "x-" {
			t.Errorf("%s of %s is met as %s", match.Operation, c.service, got)
		}
		make(c.service+"-1", tag...)()
		first := w.balancer(c.service + "-1")
		describe := func(name string) func() sent {
			return func() sent { return w.ask(c.edition, "DescribeLoadBalancers", c.create, name) }
		}
		for _, match := range []fault.Match{{Labels: "team=x"}, {Resource: c.service + "-1"}, {Resource: "load_balancer/" + string(first.ID)}} {
			match.Operation = "aws:" + c.service + ":DescribeLoadBalancers"
			if got := w.meets(match, unavailable, describe(c.service+"-1"), describe(c.service+"-2"), describe("none")); got != "x--" {
				t.Errorf("%s of %s by %+v is met as %s", match.Operation, c.service, match, got)
			}
		}
	}
	match := fault.Match{Labels: "team=x", Operation: "DeleteLoadBalancer"}
	remove := func(name string) func() sent {
		return func() sent { return w.ask(elb, "DeleteLoadBalancer", "LoadBalancerName", name) }
	}
	if got := w.meets(match, unavailable, remove("elb-1"), remove("elb-2")); got != "x-" {
		t.Errorf("DeleteLoadBalancer is met as %s", got)
	}
}
