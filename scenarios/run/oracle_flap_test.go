package run

import (
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/oracle"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestFlapOracle(t *testing.T) {
	t.Parallel()
	const pods = "10.244.0.0/24"
	create := func(r *trial) {
		r.ccm.createBalancer("x", lbAddress, ownVM)
		r.wait(oracle.NewsTime)
	}
	remove := func(r *trial, who actor) {
		who.deleteTarget(ownVM)
		r.wait(time.Second)
	}
	add := func(r *trial) { r.ccm.createTarget(ownVM) }
	tainted := map[string]any{"spec": map[string]any{"providerID": "any://r/i-1", "taints": []any{"x"}}}
	trials(t, named("no-flapping"), []trialCase{
		{"a target goes and comes back", func(r *trial) { create(r); remove(r, r.ccm); add(r) },
			"the target i-1 of load_balancer/lb-1 was removed and added again, once"},
		{"its Node has just changed, which whoever removes the target did not know", func(r *trial) {
			create(r)
			r.node("a", tainted)
			r.wait(oracle.NewsTime / 2)
			remove(r, r.ccm)
			add(r)
		}, ""},
		{"the cloud drops it because the CCM detaches the network", func(r *trial) {
			network := r.privateBalancer()
			r.wait(oracle.NewsTime)
			r.ccm.detachNetwork(firstLB, network)
			r.wait(time.Second)
			r.ccm.attachNetwork(firstLB, network)
			r.wait(time.Second)
			r.ccm.createPrivateTarget(ownVM)
		}, ""},
		{"the CCM removes it and detaches the network", func(r *trial) {
			network := r.privateBalancer()
			r.wait(oracle.NewsTime)
			r.ccm.deleteTarget(ownVM)
			r.wait(time.Second)
			r.ccm.detachNetwork(firstLB, network)
			r.ccm.attachNetwork(firstLB, network)
			r.wait(time.Second)
			r.ccm.createPrivateTarget(ownVM)
		}, "the target i-1 of load_balancer/lb-1 was removed and added again, once"},
		{"a step has removed it", func(r *trial) { create(r); remove(r, r.harness); add(r) }, ""},
		{"a step adds it again", func(r *trial) { create(r); remove(r, r.ccm); r.harness.createTarget(ownVM) }, ""},
		{"a step comes in between", func(r *trial) { create(r); remove(r, r.ccm); r.step("patch"); add(r) }, ""},
		{"a step that only looks comes in between", func(r *trial) { create(r); remove(r, r.ccm); r.step("expect"); add(r) }, "removed and added again"},
		{"its Node changes in between", func(r *trial) {
			create(r)
			remove(r, r.ccm)
			r.node("a", tainted)
			add(r)
		}, ""},
		{"its VM changes in between", func(r *trial) {
			create(r)
			remove(r, r.ccm)
			r.harness.stopOwnVM()
			add(r)
		}, ""},
		{"its Node becomes ready in between", func(r *trial) {
			create(r)
			remove(r, r.ccm)
			ready := map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}
			r.node("a", map[string]any{"spec": map[string]any{"providerID": "any://r/i-1", "podCIDR": pods}, "status": ready})
			add(r)
		}, ""},
		{"endpoints move in between", func(r *trial) {
			create(r)
			remove(r, r.ccm)
			r.object("endpointSlices", "web", nil, map[string]any{"endpoints": []any{"x"}})
			add(r)
		}, ""},
		{"a Service's status changes in between", func(r *trial) {
			r.service("web", nil)
			r.wait(1)
			create(r)
			remove(r, r.ccm)
			r.service("web", tells(lbAddress))
			add(r)
		}, "removed and added again"},
		{"endpoints move while a route is away", func(r *trial) {
			r.wait(oracle.NewsTime)
			r.ccm.deleteRoute(r.ccm.createRoute(pods, ownVM))
			r.wait(time.Second)
			r.object("endpointSlices", "web", nil, map[string]any{"endpoints": []any{"x"}})
			r.wait(1)
			r.ccm.createRoute(pods, ownVM)
		}, "removed and added again"},
		{"another Node changes in between", func(r *trial) {
			create(r)
			remove(r, r.ccm)
			r.node("b", map[string]any{"spec": map[string]any{"providerID": "any://r/i-2"}})
			add(r)
		}, "removed and added again"},
		{"the cloud has lied", func(r *trial) {
			create(r)
			r.lie()
			r.flush()
			remove(r, r.ccm)
			add(r)
		}, ""},
		{"the journal tells of the lie after the change that it led to", func(r *trial) {
			create(r)
			remove(r, r.ccm)
			r.lie()
			add(r)
		}, ""},
		{"the cloud lies when all is over", func(r *trial) {
			create(r)
			remove(r, r.ccm)
			add(r)
			r.lie()
			r.flush()
		}, "removed and added again"},
		{"a route goes and comes back under another id", func(r *trial) {
			r.wait(oracle.NewsTime)
			before := r.ccm.createRoute(pods, ownVM)
			r.ccm.deleteRoute(before)
			r.wait(time.Second)
			if after := r.ccm.createRoute(pods, ownVM); after == before {
				r.t.Errorf("both are %s", after)
			}
		}, "the route to 10.244.0.0/24 by i-1 of route_table/rt-1"},
		{"the route leads elsewhere", func(r *trial) {
			r.wait(oracle.NewsTime)
			other := r.harness.createInstance("b")
			r.ccm.deleteRoute(r.ccm.createRoute(pods, ownVM))
			r.wait(time.Second)
			r.ccm.createRoute(pods, other.ID)
		}, ""},
		{"the route leads to an address that a VM has", func(r *trial) {
			r.wait(oracle.NewsTime)
			hop := simcloud.NextHop{Address: r.cloud.State(r.t).Instances[0].Addresses[0].Address}
			r.ccm.deleteRoute(r.ccm.createRouteBy(pods, hop))
			r.wait(time.Second)
			r.ccm.createRouteBy(pods, hop)
		}, "the route to 10.244.0.0/24 by "},
		{"the route leads to an address of a VM that is gone", func(r *trial) {
			hop := simcloud.NextHop{Address: r.cloud.State(r.t).Instances[0].Addresses[0].Address}
			r.harness.deleteOwnVM()
			r.wait(oracle.NewsTime)
			r.ccm.deleteRoute(r.ccm.createRouteBy(pods, hop))
			r.wait(time.Second)
			r.ccm.createRouteBy(pods, hop)
		}, ""},
	})
}
