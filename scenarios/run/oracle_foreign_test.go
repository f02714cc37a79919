package run

import (
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios/oracle"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestForeignOracleAllowsWrites: a CCM that is meant to write certain fields of others' resources may change these, and no others, and
// delete nothing.
func TestForeignOracleAllowsWrites(t *testing.T) {
	t.Parallel()
	writing := func(writes ...string) func() oracle.Oracle {
		return func() oracle.Oracle { return oracle.New("foreign-kept", oracle.Given{Writes: writes}) }
	}
	label := func(r *trial) { r.ccm.labelOwnVM("example.com/mine", "false") }
	trials(t, writing("instance.labels"), []trialCase{
		{"it labels a VM", label, ""},
		{"it sets an option of a VM", func(r *trial) { r.ccm.setOptionOfOwnVM("port-tags.1", `["mine"]`) }, `has changed instance/i-1 "a"`},
		{"it deletes a VM", func(r *trial) { r.ccm.deleteOwnVM() }, `has deleted instance/i-1 "a"`},
		{"it deletes an address", func(r *trial) { r.ccm.deleteReserved() }, `has deleted floating_ip/fip-1 "reserved"`},
	})
	trials(t, writing("instance"), []trialCase{
		{"a whole kind: it sets an option", func(r *trial) { r.ccm.setOptionOfOwnVM("port-tags.1", `["mine"]`) }, ""},
		{"a whole kind: it deletes a VM", func(r *trial) { r.ccm.deleteOwnVM() }, `has deleted instance/i-1 "a"`},
	})
	trials(t, writing("security_group.rules"), []trialCase{
		{"a part: it adds a rule without a Service", func(r *trial) { r.ccm.createRule(nodes, 30080) }, ""},
		{"a part: it removes one", func(r *trial) { r.ccm.deleteRule(nodes, ssh) }, ""},
		{"a part: it labels a VM", label, `has changed instance/i-1 "a"`},
	})
	trials(t, writing("*.labels"), []trialCase{{"a glob: it labels a VM", label, ""}})
}

func TestForeignOracle(t *testing.T) {
	t.Parallel()
	const lb simcloud.ID = "lb-1"
	asksForReserved := map[string]any{"spec": map[string]any{"type": "LoadBalancer", "loadBalancerIP": reservedAddress}}
	trials(t, named("foreign-kept"), []trialCase{
		{"it deletes an address that was there", func(r *trial) { r.ccm.deleteReserved() }, `has deleted floating_ip/fip-1 "reserved"`},
		{"a step does", func(r *trial) { r.harness.deleteReserved() }, ""},
		{"it starts a VM", func(r *trial) {
			r.harness.stopOwnVM()
			r.ccm.startInstance(ownVM)
		}, `has changed instance/i-1 "a"`},
		{"it lets a VM forward the packets of pods", func(r *trial) {
			r.ccm.labelOwnVM("aws.simcloud.dev/source-dest-check", "false")
		}, ""},
		{"it lets a port of a VM send from the addresses of pods", func(r *trial) {
			r.ccm.setOptionOfOwnVM("allowed-address-pairs.1", `["10.244.1.0/24"]`)
		}, ""},
		{"it sets another option of a VM", func(r *trial) { r.ccm.setOptionOfOwnVM("port-tags.1", `["mine"]`) }, `has changed instance/i-1 "a"`},
		{"it changes the harness's label of a VM", func(r *trial) { r.ccm.labelOwnVM("sim.simcloud.dev/node", "none") }, `has changed instance/i-1 "a"`},
		{"it labels a VM", func(r *trial) { r.ccm.labelOwnVM("example.com/mine", "false") }, `has changed instance/i-1 "a"`},
		{"it starts a VM that runs", func(r *trial) { r.ccm.startInstance(ownVM) }, ""},
		{"it changes an address that no Service asks for", func(r *trial) {
			r.ccm.attachAddress(reserved, r.ccm.createPublicBalancer())
		}, `has changed floating_ip/fip-1`},
		{"it changes one that a Service asks for", func(r *trial) {
			r.service("web", asksForReserved)
			r.ccm.attachAddress(reserved, r.ccm.createPublicBalancer())
		}, ""},
		{"and deletes it", func(r *trial) {
			r.service("web", asksForReserved)
			r.ccm.deleteReserved()
		}, `has deleted floating_ip/fip-1 "reserved"`},
		{"it adds a route and removes it", func(r *trial) { r.ccm.deleteRoute(r.ccm.createRoute("10.0.0.0/8", ownVM)) }, ""},
		{"it removes the route of others", func(r *trial) { r.ccm.deleteRoute(office) }, "has removed the route r-1 of route_table/rt-1"},
		{"it removes one that a step has made", func(r *trial) {
			r.ccm.deleteRoute(r.harness.createRoute("192.168.7.0/24", ownVM))
		}, "has removed the route r-2"},
		{"it removes one to pods", func(r *trial) { r.ccm.deleteRoute(r.harness.createRoute("10.244.9.0/24", ownVM)) }, ""},
		{"it removes the route of others to everywhere", func(r *trial) {
			r.ccm.deleteRoute(r.harness.createRoute("0.0.0.0/0", ownVM))
		}, "has removed the route r-2"},
		{"it adds a rule for a Service to the security group of others and removes it", func(r *trial) {
			r.service("web", onPort(30080))
			r.ccm.deleteRule(nodes, r.ccm.createRule(nodes, 30080))
		}, ""},
		{"it adds a rule for what has its own group", func(r *trial) {
			r.service("web", onPort(30080))
			r.ccm.createRuleFrom(r.ccm.createGroup())
		}, ""},
		{"it adds a rule without a Service", func(r *trial) { r.ccm.createRule(nodes, 30080) },
			"has added the rule sgr-2 to security_group/sg-1"},
		{"it adds a rule for what has its own group, without a Service", func(r *trial) {
			r.ccm.createRuleFrom(r.ccm.createGroup())
		}, "has added the rule sgr-2 to security_group/sg-1"},
		{"it adds a rule for a port that no Service has", func(r *trial) {
			r.service("web", onPort(30080))
			r.ccm.createRule(nodes, 22)
		}, "has added the rule sgr-2 to security_group/sg-1"},
		{"it adds a rule for all that has the group of others", func(r *trial) {
			r.service("web", onPort(30080))
			r.ccm.createRuleFrom(r.harness.createGroup())
		}, "has added the rule sgr-2 to security_group/sg-1"},
		{"it adds a rule for all that has the group of others which a Service names, and removes it", func(r *trial) {
			r.service("web", naming(r.harness.createGroup()))
			r.ccm.deleteRule(nodes, r.ccm.createRuleFrom("sg-2"))
		}, ""},
		{"a Service names the group by its name", func(r *trial) {
			r.harness.createGroup()
			r.service("web", naming("k8s-elb"))
			r.ccm.createRuleFrom("sg-2")
		}, ""},
		{"a Service names another group", func(r *trial) {
			r.harness.createGroup()
			r.service("web", naming(nodes))
			r.ccm.createRuleFrom("sg-2")
		}, "has added the rule sgr-2 to security_group/sg-1"},
		{"it removes the rule of others for all that has the group which a Service names", func(r *trial) {
			r.service("web", naming(r.harness.createGroup()))
			r.ccm.deleteRule(nodes, r.harness.createRuleFrom("sg-2"))
		}, "has removed the rule sgr-2 of security_group/sg-1"},
		{"it removes a rule of the group which a Service names", func(r *trial) {
			r.service("web", naming(r.harness.createGroup()))
			r.ccm.deleteRule("sg-2", r.harness.createRule("sg-2", 443))
		}, "has removed the rule sgr-2 of security_group/sg-2"},
		{"it deletes the group which a Service names", func(r *trial) {
			r.service("web", naming(r.harness.createGroup()))
			r.ccm.deleteGroup("sg-2")
		}, `has deleted security_group/sg-2 "k8s-elb"`},
		{"it adds a rule for a Service that has another port by now", func(r *trial) {
			r.service("web", onPort(30080))
			r.ccm.createRule(nodes, 30080)
			r.service("web", onPort(30081))
		}, ""},
		{"it removes a rule of the default group of the network, which the cloud has made for a VM", func(r *trial) {
			r.defaultGroup()
			r.ccm.deleteRule("sg-2", "sgr-2")
		}, "has removed the rule sgr-2 of security_group/sg-2"},
		{"it adds a rule there and removes it", func(r *trial) {
			r.service("web", onPort(30080))
			r.defaultGroup()
			r.ccm.deleteRule("sg-2", r.ccm.createRule("sg-2", 30080))
		}, ""},
		{"a step adds a rule", func(r *trial) { r.harness.createRule(nodes, 22) }, ""},
		{"it adds a rule to its own group", func(r *trial) { r.ccm.createRule(r.ccm.createGroup(), 22) }, ""},
		{"it removes the rule of others", func(r *trial) { r.ccm.deleteRule(nodes, ssh) }, "has removed the rule sgr-1 of security_group/sg-1"},
		{"it removes from its own group what others have added", func(r *trial) {
			group := r.ccm.createGroup()
			r.ccm.deleteRule(group, r.harness.createRule(group, 443))
		}, ""},
		{"it removes a target of the target group of others", func(r *trial) { r.ccm.removeGroupTarget(r.harness.createTargetGroup(), 80) },
			"has removed the target i-1 80 of target_group/tg-1"},
		{"it removes the target group of others", func(r *trial) { r.ccm.deleteTargetGroup(r.harness.createTargetGroup()) },
			`has deleted target_group/tg-1 "k8s-tg"`},
		{"it adds a target to the group of others and removes it", func(r *trial) {
			group := r.harness.createTargetGroup()
			r.ccm.addGroupTarget(group, 81)
			r.ccm.removeGroupTarget(group, 81)
		}, ""},
		{"its listener forwards to the target group of others", func(r *trial) {
			group := r.harness.createTargetGroup()
			r.ccm.forward(r.ccm.createBalancer("x", lbAddress), group)
		}, ""},
		{"it gives a VM one more group and takes it away", func(r *trial) {
			group := r.ccm.createGroup()
			r.ccm.setGroups(nodes, group)
			r.ccm.setGroups(nodes)
		}, ""},
		{"it takes the group of others from a VM", func(r *trial) { r.ccm.setGroups() }, "has removed the group sg-1 of instance/i-1"},
		{"it adds to the load balancer of others what they had there before, and removes it", func(r *trial) {
			r.harness.createBalancer("x", lbAddress, ownVM)
			r.harness.deleteTarget(ownVM)
			r.ccm.createTarget(ownVM)
			r.ccm.deleteTarget(ownVM)
		}, ""},
		{"it removes what others have put where it had its own", func(r *trial) {
			r.harness.createBalancer("x", lbAddress)
			r.ccm.createTarget(ownVM)
			r.ccm.deleteTarget(ownVM)
			r.harness.createTarget(ownVM)
			r.ccm.deleteTarget(ownVM)
		}, "has removed the target i-1 of load_balancer/lb-1"},
		{"it removes its load balancer with what others have added", func(r *trial) {
			r.ccm.createBalancer("x", lbAddress)
			r.harness.createTarget(ownVM)
			r.ccm.deleteBalancer(lb)
		}, ""},
		{"it removes a target that others have added, which is no Node", func(r *trial) {
			other := r.harness.createInstance("b")
			r.ccm.createBalancer("x", lbAddress, ownVM)
			r.harness.createTarget(other.ID)
			r.ccm.deleteTarget(other.ID)
		}, "has removed the target i-2 of load_balancer/lb-1"},
		{"the same, and later its VM goes", func(r *trial) {
			other := r.harness.createInstance("b")
			r.ccm.createBalancer("x", lbAddress, ownVM)
			r.harness.createTarget(other.ID)
			r.ccm.deleteTarget(other.ID)
			r.harness.deleteInstance(other.ID)
		}, "has removed the target i-2 of load_balancer/lb-1"},
		{"one whose VM is gone", func(r *trial) {
			other := r.harness.createInstance("b")
			r.ccm.createBalancer("x", lbAddress)
			r.harness.createTarget(other.ID)
			r.harness.deleteInstance(other.ID)
			r.ccm.deleteTarget(other.ID)
		}, ""},
		{"one that is a Node", func(r *trial) {
			r.ccm.createBalancer("x", lbAddress)
			r.harness.createTarget(ownVM)
			r.ccm.deleteTarget(ownVM)
		}, ""},
		{"it removes the listener of others", func(r *trial) {
			r.ccm.createBalancer("x", lbAddress)
			r.harness.createListener(lb, 9100, 9100)
			r.ccm.deleteListener(lb, 9100)
		}, "has removed the listener tcp-9100 of load_balancer/lb-1"},
		{"it repairs a listener on a port of a Service", func(r *trial) {
			r.service("web", nil)
			r.ccm.createBalancer("x", lbAddress)
			r.harness.deleteListener(lb, 80)
			r.harness.createListener(lb, 80, 9999)
			r.ccm.deleteListener(lb, 80)
		}, ""},
		{"it deletes what others have made for a Service of this cluster", func(r *trial) {
			r.service("web", nil)
			r.harness.createBalancer(uidIn("web"), lbAddress)
			r.ccm.deleteBalancer(lb)
		}, ""},
		{"and for one of another cluster", func(r *trial) {
			r.service("web", nil)
			r.harness.createBalancer(uidIn("other"), lbAddress)
			r.ccm.deleteBalancer(lb)
		}, `has deleted load_balancer/lb-1 "lb"`},
		{"the cloud changes a VM by itself before it calls", func(r *trial) {
			r.goBack(func() { r.harness.stopOwnVM() }, func() { r.harness.startInstance(ownVM) })
			if state := r.cloud.State(r.t).Instances[0].State; state != simcloud.InstanceStopped {
				r.t.Errorf("it is %s", state)
			}
			r.ccm.createBalancer("x", lbAddress)
		}, ""},
	})
}

// onPort is a Service at a port of the nodes.
func onPort(nodePort int64) map[string]any {
	return map[string]any{"spec": map[string]any{"type": "LoadBalancer", "ports": []any{map[string]any{"port": int64(80), "nodePort": nodePort}}}}
}

// naming is a Service whose annotation names a security group for its load balancer.
func naming(group simcloud.ID) map[string]any {
	return map[string]any{"metadata": map[string]any{"annotations": map[string]any{"example.com/security-groups": "sg-9," + string(group)}}}
}
