package aws_test

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestErrorsOfNetwork: an error of a fault rule is the one that the service has for it.
func TestErrorsOfNetwork(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb, group := w.nlb("web"), w.targetGroup("web", "TCP", "31000")
	listener := w.listener(lb, group, "80", "TCP")
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	target := []string{"TargetGroupArn", group, "Targets.member.1.Id", "i-1"}
	pair := []string{"Attributes.member.1.Key", "load_balancing.cross_zone.enabled", "Attributes.member.1.Value", "true"}
	calls := map[string][]string{
		"DescribeLoadBalancers": nil, "CreateLoadBalancer": network("other"), "DeleteLoadBalancer": {"LoadBalancerArn", lb},
		"DescribeListeners": {"LoadBalancerArn", lb}, "CreateListener": forward(lb, group, "81", "TCP"),
		"ModifyListener": {"ListenerArn", listener}, "DeleteListener": {"ListenerArn", listener},
		"DescribeTargetGroups": nil, "CreateTargetGroup": targets("other", "TCP", "31001"), "ModifyTargetGroup": {"TargetGroupArn", group}, "DeleteTargetGroup": {"TargetGroupArn", group},
		"RegisterTargets": target, "DeregisterTargets": target, "DescribeTargetHealth": target[:2],
		"DescribeLoadBalancerAttributes": {"LoadBalancerArn", lb}, "ModifyLoadBalancerAttributes": append([]string{"LoadBalancerArn", lb}, pair...),
		"DescribeTargetGroupAttributes": {"TargetGroupArn", group}, "ModifyTargetGroupAttributes": append([]string{"TargetGroupArn", group}, pair...),
		"SetSecurityGroups": {"LoadBalancerArn", lb, "SecurityGroups.member.1", "sg-1"},
		"DescribeTags":      {"ResourceArns.member.1", group}, "AddTags": {"ResourceArns.member.1", listener, "Tags.member.1.Key", "a"},
		"RemoveTags": {"ResourceArns.member.1", lb, "TagKeys.member.1", "a"},
	}
	before := w.state()
	for _, test := range []struct{ action, code, want string }{
		{"DescribeLoadBalancers", "not_found", "LoadBalancerNotFound"}, {"CreateLoadBalancer", "quota_exceeded", "TooManyLoadBalancers"},
		{"CreateLoadBalancer", "already_exists", "DuplicateLoadBalancerName"}, {"DeleteLoadBalancer", "in_use", "ResourceInUse"},
		{"DescribeListeners", "not_found", "LoadBalancerNotFound"}, {"CreateListener", "already_exists", "DuplicateListener"}, {"CreateListener", "capacity", "TooManyListeners"},
		{"ModifyListener", "not_found", "ListenerNotFound"}, {"DeleteListener", "not_found", "ListenerNotFound"},
		{"DescribeTargetGroups", "not_found", "TargetGroupNotFound"}, {"CreateTargetGroup", "already_exists", "DuplicateTargetGroupName"},
		{"CreateTargetGroup", "quota_exceeded", "TooManyTargetGroups"}, {"ModifyTargetGroup", "not_found", "TargetGroupNotFound"}, {"DeleteTargetGroup", "in_use", "ResourceInUse"},
		{"RegisterTargets", "invalid", "InvalidTarget"}, {"RegisterTargets", "capacity", "TooManyTargets"}, {"DeregisterTargets", "invalid", "InvalidTarget"},
		{"DescribeTargetHealth", "not_found", "TargetGroupNotFound"}, {"DescribeLoadBalancerAttributes", "not_found", "LoadBalancerNotFound"},
		{"ModifyLoadBalancerAttributes", "conflict", "OperationNotPermitted"}, {"DescribeTargetGroupAttributes", "not_found", "TargetGroupNotFound"},
		{"ModifyTargetGroupAttributes", "locked", "OperationNotPermitted"}, {"SetSecurityGroups", "forbidden", "AccessDenied"},
		{"DescribeTags", "not_found", "TargetGroupNotFound"}, {"AddTags", "not_found", "ListenerNotFound"}, {"RemoveTags", "rate_limited", "Throttling"},
	} {
		w.fault("aws:elbv2:"+test.action, `{"error": {"code": "`+test.code+`"}}`)
		status := map[string]int{"AccessDenied": 403}[test.want]
		w.refused(test.want, max(status, 400), elbv2, test.action, calls[test.action]...)
		w.clearFaults()
	}
	if now := w.state(); now != before {
		t.Errorf("something has changed:\n%s\n%s", before, now)
	}
}

// state tells which load balancers and target groups there are, and their versions.
func (w world) state() string {
	w.Helper()
	var all []string
	for _, lb := range must[simcloud.Page[simcloud.LoadBalancer]](w)(w.native.ListLoadBalancers(w.Context(), simcloud.ListOptions{})).Items {
		all = append(all, lb.Name, string(lb.ID), lb.Updated.String())
	}
	for _, g := range must[simcloud.Page[simcloud.TargetGroup]](w)(w.native.ListTargetGroups(w.Context(), simcloud.ListOptions{})).Items {
		all = append(all, g.Name, string(g.ID), g.Updated.String())
	}
	return strings.Join(all, " ")
}

// TestLostAnswersOfNetwork: what was made before the answer was lost is what the client finds when it repeats the request.
func TestLostAnswersOfNetwork(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	lose := func(action string, fields ...string) {
		t.Helper()
		w.fault("aws:elbv2:"+action, `{"reset": {"when": "after"}}`)
		if err := w.lost(t.Context(), form(elbv2, action, fields...)); err == nil {
			t.Errorf("%s: there is an answer", action)
		}
		w.clearFaults()
	}
	lose("CreateLoadBalancer", network("web")...)
	lb := w.nlb("web")
	lose("CreateTargetGroup", targets("web", "TCP", "31000")...)
	group := w.targetGroup("web", "TCP", "31000")
	target := []string{"TargetGroupArn", group, "Targets.member.1.Id", "i-1"}
	lose("RegisterTargets", target...)
	w.does(elbv2, "RegisterTargets", target...)
	lose("CreateListener", forward(lb, group, "80", "TCP")...)
	listener := w.listener(lb, group, "80", "TCP")
	if got := w.balancer("web"); got.ID != "lb-1" || len(got.Listeners) != 1 || len(w.groupOf(group).Targets) != 1 || !strings.HasSuffix(group, "/1") {
		t.Errorf("the cloud has %+v", got)
	}
	lose("DeregisterTargets", target...)
	w.does(elbv2, "DeregisterTargets", target...)
	lose("DeleteListener", "ListenerArn", listener)
	w.refused("ListenerNotFound", 400, elbv2, "DeleteListener", "ListenerArn", listener)
	lose("DeleteTargetGroup", "TargetGroupArn", group)
	w.does(elbv2, "DeleteTargetGroup", "TargetGroupArn", group)
	lose("DeleteLoadBalancer", "LoadBalancerArn", lb)
	w.does(elbv2, "DeleteLoadBalancer", "LoadBalancerArn", lb)
	if left := w.state(); left != "" {
		t.Errorf("left are %s", left)
	}
}

// TestFaultsOfNetwork: what comes in place of an answer, and what an answer does not tell.
func TestFaultsOfNetwork(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb, group := w.nlb("web"), w.targetGroup("web", "TCP", "31000")
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.does(elbv2, "RegisterTargets", "TargetGroupArn", group, "Targets.member.1.Id", "i-1")
	garbled := `{"garble": {"body": "unknown-enum"}}`
	w.fault("ListLoadBalancers", garbled)
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"State/Code", "unheard-of", inNLB+"LoadBalancerName", "web")
	w.fault("GetTargetGroup", garbled)
	w.does(elbv2, "DescribeTargetHealth", "TargetGroupArn", group).has(inHealth+"TargetHealth/State", "unheard-of", inHealth+"Target/Id", "i-1")
	w.clearFaults()
	for effect, want := range map[string]string{`{"garble": {"body": "empty"}}`: "", `{"garble": {"body": "null"}}`: "null\n"} {
		w.fault("CreateLoadBalancer", effect)
		if res := w.ask(elbv2, "CreateLoadBalancer", network("other")...); res.status != 200 || res.body != want {
			t.Errorf("%s: %d %q", effect, res.status, res.body)
		}
		w.clearFaults()
	}
	w.balancer("other") // it was made
	w.fault("GetLoadBalancer", `{"hide": {"for": "1h"}}`)
	w.refused("LoadBalancerNotFound", 400, elbv2, "DescribeLoadBalancers", "LoadBalancerArns.member.1", lb)
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"LoadBalancerName", "web other")
	w.fault("ListTargetGroups", `{"stale": {"by": "1h"}}`)
	w.does(elbv2, "DescribeTargetGroups").has(inGroup+"TargetGroupName", "")
	w.clearFaults()
	w.fault("ListLoadBalancers", `{"page": {"lie": "drop"}}`)
	if names := w.does(elbv2, "DescribeLoadBalancers").texts(inNLB + "LoadBalancerName"); len(names) != 1 {
		t.Errorf("a list without one of two has %v", names)
	}
	w.clearFaults()
	w.fault("GetLoadBalancer", `{"lock": {"for": "1h"}}`)
	w.does(elbv2, "DescribeLoadBalancers", "LoadBalancerArns.member.1", lb)
	w.refused("OperationNotPermitted", 400, elbv2, "CreateListener", forward(lb, group, "80", "TCP")...)
}

// TestFailedNetwork: one that the cloud has not made has failed, and can be deleted alone.
func TestFailedNetwork(t *testing.T) {
	t.Parallel()
	w := open(t)
	group := w.targetGroup("web", "TCP", "31000")
	w.fault("CreateLoadBalancer", `{"state": {"to": "error"}}`)
	lb := w.nlb("web")
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"State/Code", "failed")
	w.refused("OperationNotPermitted", 400, elbv2, "CreateListener", forward(lb, group, "80", "TCP")...)
	w.does(elbv2, "DeleteLoadBalancer", "LoadBalancerArn", lb)
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"State/Code", "")
}

// TestLimitsOfNetwork: quotas of the cloud, in the words of the service.
func TestLimitsOfNetwork(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.nlb("web")
	w.targetGroup("web", "TCP", "31000")
	for _, kind := range []simcloud.ID{"load_balancer", "target_group"} {
		must[simcloud.Result[simcloud.Quota]](t)(w.native.SetQuota(t.Context(), simcloud.DefaultProject+"."+kind, simcloud.QuotaSpec{Limit: 1}))
	}
	w.refused("TooManyLoadBalancers", 400, elbv2, "CreateLoadBalancer", network("more")...)
	w.refused("TooManyTargetGroups", 400, elbv2, "CreateTargetGroup", targets("more", "TCP", "31001")...)
	w.nlb("web") // it exists
	w.targetGroup("web", "TCP", "31000")
}
