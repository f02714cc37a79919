package run

import (
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/oracle"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func nodeOf(name, uid, providerID string) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"name": name, "uid": uid},
		"spec":     map[string]any{"providerID": providerID},
	}
}

// nodeWithAddressOf is a Node without a providerID that tells the private address of a VM.
func nodeWithAddressOf(name, uid string, vm simcloud.Instance) map[string]any {
	node := nodeOf(name, uid, "")
	node["status"] = map[string]any{"addresses": []any{map[string]any{"type": "InternalIP", "address": vm.Addresses[0].Address}}}
	return node
}

func TestNodeOracle(t *testing.T) {
	t.Parallel()
	set := func(r *trial, node map[string]any) { r.st.Store.SetObject("nodes", oracle.NameOf(node), node) }
	tests := []trialCase{
		{"a Node is deleted, its VM exists", func(r *trial) {
			set(r, nodeOf("a", "u-1", "any://region/i-1"))
			r.gone("nodes", "a")
		}, "Node a was deleted while its VM i-1 exists"},
		{"a step deletes it", func(r *trial) {
			set(r, nodeOf("a", "u-1", "any://region/i-1"))
			r.st.Deleted = append(r.st.Deleted, "u-1")
			r.gone("nodes", "a")
		}, ""},
		{"it came back after that, and is deleted again", func(r *trial) {
			r.st.Deleted = append(r.st.Deleted, "u-1")
			set(r, nodeOf("a", "u-2", "any://region/i-1"))
			r.gone("nodes", "a")
		}, "Node a was deleted while its VM i-1 exists"},
		{"it is of that VM of its name that has its address", func(r *trial) {
			its := r.harness.createInstance("a")
			r.harness.createInstance("a")
			set(r, nodeWithAddressOf("a", "u-1", its))
			r.harness.deleteInstance(its.ID)
			r.gone("nodes", "a")
		}, ""},
		{"the same before it was initialised", func(r *trial) {
			set(r, nodeOf("a", "u-1", ""))
			r.gone("nodes", "a")
		}, "VM i-1 exists"},
		{"the Node has another name than its VM", func(r *trial) {
			set(r, nodeOf("b", "u-1", "any://i-1"))
			r.gone("nodes", "b")
		}, "Node b was deleted while its VM i-1 exists"},
		{"the VM is stopped", func(r *trial) {
			set(r, nodeOf("a", "u-1", "any://i-1"))
			r.harness.stopOwnVM()
			r.gone("nodes", "a")
		}, "is stopped"},
		{"the Node came back under its name", func(r *trial) {
			set(r, nodeOf("a", "u-1", "any://i-1"))
			r.gone("nodes", "a")
			set(r, nodeOf("a", "u-2", "any://i-1"))
		}, "UID u-1"},
		{"the VM is gone", func(r *trial) {
			set(r, nodeOf("a", "u-1", "any://i-1"))
			r.harness.deleteInstance(ownVM)
			r.gone("nodes", "a")
		}, ""},
		{"the VM is on its way out", func(r *trial) {
			slow := simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Hour)}
			r.harness.did(r.cloud.UpdateConfig(r.t.Context(), simcloud.ConfigUpdate{Progression: &slow}))
			set(r, nodeOf("a", "u-1", "any://i-1"))
			r.harness.deleteInstance(ownVM)
			r.gone("nodes", "a")
		}, ""},
		{"another VM has its name by now", func(r *trial) {
			set(r, nodeOf("a", "u-1", "any://i-1"))
			r.harness.deleteInstance(ownVM)
			r.harness.createInstance("a")
			r.gone("nodes", "a")
		}, ""},
		{"it is known by its address alone", func(r *trial) {
			node := nodeWithAddressOf("b", "u-1", r.cloud.State(r.t).Instances[0])
			set(r, node)
			r.gone("nodes", "b")
		}, "Node b was deleted while its VM i-1 exists"},
		{"a Node of another provider has the name of a VM", func(r *trial) {
			set(r, nodeOf("a", "u-1", "kubemark://a"))
			r.harness.stopOwnVM() // which the oracle hears of after the Node
			r.gone("nodes", "a")
		}, ""},
		{"the same, where the CCM is known by its own Node", func(r *trial) {
			set(r, nodeOf("own", "u-0", ""))
			set(r, nodeOf("own", "u-0", "any://region/i-9"))
			set(r, nodeOf("a", "u-1", "kubemark://a"))
			r.gone("nodes", "a")
		}, "Node a was deleted, and its providerID kubemark://a is another provider's"},
		{"a Node of another provider ends with the id of a VM", func(r *trial) {
			set(r, nodeOf("metal", "u-1", "metal://rack-7/i-1"))
			r.gone("nodes", "metal")
			set(r, nodeOf("own", "u-0", ""))
			set(r, nodeOf("own", "u-0", "any://region/i-1"))
		}, "providerID metal://rack-7/i-1 is another provider's"},
		{"a step deletes a Node of another provider", func(r *trial) {
			set(r, nodeOf("own", "u-0", ""))
			set(r, nodeOf("own", "u-0", "any://region/i-1"))
			set(r, nodeOf("hollow", "u-1", "kubemark://hollow"))
			r.st.Deleted = append(r.st.Deleted, "u-1")
			r.gone("nodes", "hollow")
		}, ""},
		{"a Node has registered with a providerID of this cloud, and its VM never was", func(r *trial) {
			set(r, nodeOf("own", "u-0", ""))
			set(r, nodeOf("own", "u-0", "any://region/i-1"))
			set(r, nodeOf("ghost", "u-1", "any://region/i-99"))
			r.gone("nodes", "ghost")
		}, ""},
		{"the providerID of its CCM names no VM as the cloud does", func(r *trial) {
			set(r, nodeOf("a", "u-1", ""))
			set(r, nodeOf("a", "u-1", "other://4711"))
			r.gone("nodes", "a")
		}, "Node a was deleted while its VM i-1 exists"},
		{"a Node that never had a VM", func(r *trial) {
			set(r, nodeOf("b", "u-1", ""))
			r.gone("nodes", "b")
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			says(t, judged(t, named("node-kept"), test.do), test.says)
		})
	}
}

func TestLeakOracle(t *testing.T) {
	t.Parallel()
	const pods = "10.244.0.0/24"
	trials(t, named("leak"), []trialCase{
		{"nothing", func(*trial) {}, ""},
		{"a load balancer", func(r *trial) { r.ccm.createBalancer("x", lbAddress) }, `load_balancer/lb-1 "lb": made by CreateLoadBalancer of ` + steptest.CCMAgent},
		{"one that no one has called for", func(r *trial) {
			r.goBack(func() { r.harness.createBalancer("x", lbAddress) }, func() { r.harness.deleteBalancer("lb-1") })
		}, `load_balancer/lb-1 "lb": no call has made it`},
		{"an instance of the scenario", func(r *trial) { r.harness.createInstance("b") }, "the scenario left over 1 resource that it made itself"},
		{"that, and what the CCM has made", func(r *trial) {
			r.harness.createInstance("b")
			r.ccm.createBalancer("x", lbAddress)
		}, "1 of the cloud's resources are left over"},
		{"a load balancer that the scenario has made for a Service", func(r *trial) {
			r.service("web", nil)
			r.harness.createBalancer("u-web-0123456789abcdef0123456789abcdef", lbAddress)
		}, "1 of the cloud's resources are left over"},
		{"a load balancer of the scenario", func(r *trial) { r.harness.createBalancer("x", lbAddress) }, "the scenario left over 1 resource that it made itself"},
		{"a route of the scenario to pods", func(r *trial) {
			r.harness.createRouteBy(pods, simcloud.NextHop{Address: "192.0.2.9"})
		}, "1 of the cloud's resources are left over"},
		{"a route of the scenario elsewhere", func(r *trial) {
			r.harness.createRouteBy("192.168.7.0/24", simcloud.NextHop{Address: "192.0.2.9"})
		}, "the scenario left over 1 resource that it made itself"},
		{"removed in the end", func(r *trial) { r.ccm.deleteBalancer(r.ccm.createBalancer("x", lbAddress)) }, ""},
		{"removed a while later", func(r *trial) {
			lb := r.ccm.createBalancer("x", lbAddress)
			r.meanwhile = func() { r.wait(oracle.LeakSettle / 2); r.ccm.deleteBalancer(lb) }
		}, ""},
		{"a security group", func(r *trial) { r.ccm.createGroup() }, `security_group/sg-2 "k8s-elb": made by CreateSecurityGroup of ` + steptest.CCMAgent},
		{"one that is removed", func(r *trial) { r.ccm.deleteGroup(r.ccm.createGroup()) }, ""},
		{"a target group", func(r *trial) { r.ccm.createTargetGroup() }, `target_group/tg-1 "k8s-tg": made by CreateTargetGroup of ` + steptest.CCMAgent},
		{"one whose load balancer is deleted", func(r *trial) {
			lb := r.ccm.createBalancer("x", lbAddress)
			r.ccm.forward(lb, r.ccm.createTargetGroup())
			r.ccm.deleteBalancer(lb)
		}, `target_group/tg-1 "k8s-tg": made by CreateTargetGroup of ` + steptest.CCMAgent},
		{"a target group that is removed", func(r *trial) { r.ccm.deleteTargetGroup(r.ccm.createTargetGroup()) }, ""},
		{"a rule in the group of others", func(r *trial) { r.ccm.createRule(nodes, 30080) },
			"security_group_rule/sgr-2 in security_group/sg-1: made by AddSecurityGroupRules of " + steptest.CCMAgent},
		{"one in the default group of the network, which the cloud has made for a VM", func(r *trial) {
			r.defaultGroup()
			r.ccm.createRule("sg-2", 30080)
		}, "1 of the cloud's resources are left over"},
		{"that group alone", func(r *trial) { r.defaultGroup() }, ""},
		{"one that is removed from there", func(r *trial) { r.ccm.deleteRule(nodes, r.ccm.createRule(nodes, 30080)) }, ""},
		{"a route to a VM that exists", func(r *trial) { r.ccm.createRoute(pods, ownVM) }, ""},
		{"a route to an address of a VM that exists", func(r *trial) {
			r.ccm.createRouteBy(pods, simcloud.NextHop{Address: r.cloud.State(r.t).Instances[0].Addresses[0].Address})
		}, ""},
		{"a route to an address that no VM has", func(r *trial) {
			r.ccm.createRouteBy(pods, simcloud.NextHop{Address: "192.0.2.9"})
		}, "route/r-2 to 10.244.0.0/24 in route_table/rt-1"},
		{"a route to nowhere, with who has made it and no one else", func(r *trial) {
			other := r.harness.createInstance("b")
			r.harness.createRoute(pods, ownVM)
			r.ccm.createRoute("10.244.1.0/24", other.ID)
			r.harness.createRoute("10.244.2.0/24", ownVM)
			r.harness.deleteInstance(other.ID)
		}, "route/r-3 to 10.244.1.0/24 in route_table/rt-1: made by CreateRoute of " + steptest.CCMAgent},
	})
}

func says(t *testing.T, got, want string) {
	t.Helper()
	if (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("it said %q, want %q", got, want)
	}
}
