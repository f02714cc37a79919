package scenarios

import (
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestFlapOracle(t *testing.T) {
	const lbs, tables = simcloud.KindLoadBalancer, simcloud.KindRouteTable
	create := func(r *trial) {
		r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-1", lb("x", "1.1.1.1", "i-1"))
		r.wait(newsTime)
	}
	remove := func(r *trial, who string) {
		r.does(who, "DeleteTarget", lbs, "lb-1", lb("x", "1.1.1.1"))
		r.wait(time.Second)
	}
	add := func(r *trial) { r.does(ccmAgent, "CreateTarget", lbs, "lb-1", lb("x", "1.1.1.1", "i-1")) }
	trials(t, func(World) oracle { return newFlapOracle() }, []trialCase{
		{"a target goes and comes back", func(r *trial) { create(r); remove(r, ccmAgent); add(r) },
			"the target i-1 of load_balancer/lb-1 was removed and added again, once"},
		{"its Node has just changed, which whoever removes the target did not know", func(r *trial) {
			create(r)
			r.node("a", map[string]any{"spec": map[string]any{"providerID": "any://r/i-1", "taints": []any{"x"}}})
			r.wait(newsTime / 2)
			remove(r, ccmAgent)
			add(r)
		}, ""},
		{"a step has removed it", func(r *trial) { create(r); remove(r, harnessAgent); add(r) }, ""},
		{"a step comes in between", func(r *trial) { create(r); remove(r, ccmAgent); r.step("patch"); r.wait(1); add(r) }, ""},
		{"a step that only looks comes in between", func(r *trial) { create(r); remove(r, ccmAgent); r.step("expect"); r.wait(1); add(r) }, "removed and added again"},
		{"its Node changes in between", func(r *trial) {
			create(r)
			remove(r, ccmAgent)
			r.node("a", map[string]any{"spec": map[string]any{"providerID": "any://r/i-1", "taints": []any{"x"}}})
			r.wait(1)
			add(r)
		}, ""},
		{"its Node becomes ready in between", func(r *trial) {
			create(r)
			remove(r, ccmAgent)
			ready := map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}
			r.node("a", map[string]any{"spec": map[string]any{"providerID": "any://r/i-1", "podCIDR": "10.244.0.0/24"}, "status": ready})
			r.wait(1)
			add(r)
		}, ""},
		{"endpoints move in between", func(r *trial) {
			create(r)
			remove(r, ccmAgent)
			r.object("endpointSlices", "web", nil, map[string]any{"endpoints": []any{"x"}})
			r.wait(1)
			add(r)
		}, ""},
		{"a Service's status changes in between", func(r *trial) {
			r.service("web", nil)
			r.wait(1)
			create(r)
			remove(r, ccmAgent)
			r.service("web", tells("1.1.1.1"))
			r.wait(1)
			add(r)
		}, "removed and added again"},
		{"endpoints move while a route is away", func(r *trial) {
			r.wait(newsTime)
			r.does(ccmAgent, "CreateRoute", tables, "rt-1", routes(route("r-2", "10.244.0.0/24", "i-1")))
			r.does(ccmAgent, "DeleteRoute", tables, "rt-1", routes())
			r.wait(time.Second)
			r.object("endpointSlices", "web", nil, map[string]any{"endpoints": []any{"x"}})
			r.wait(1)
			r.does(ccmAgent, "CreateRoute", tables, "rt-1", routes(route("r-3", "10.244.0.0/24", "i-1")))
		}, "removed and added again"},
		{"another Node changes in between", func(r *trial) {
			create(r)
			remove(r, ccmAgent)
			r.node("b", map[string]any{"spec": map[string]any{"providerID": "any://r/i-2"}})
			r.wait(1)
			add(r)
		}, "removed and added again"},
		{"the cloud has lied", func(r *trial) {
			create(r)
			r.cloud.do(func() {
				r.cloud.calls = append(r.cloud.calls, simcloud.JournalEntry{Seq: uint64(len(r.cloud.calls) + 1), Operation: "ListInstances", Effect: "page", Fault: "f"})
			})
			r.flush()
			remove(r, ccmAgent)
			add(r)
		}, ""},
		{"the journal tells of the lie after the change that it led to", func(r *trial) {
			create(r)
			remove(r, ccmAgent)
			r.cloud.calls = append(r.cloud.calls, simcloud.JournalEntry{Seq: uint64(len(r.cloud.calls) + 1), Operation: "ListInstances", Effect: "page", Fault: "f"})
			add(r)
		}, ""},
		{"the cloud lies when all is over", func(r *trial) {
			create(r)
			remove(r, ccmAgent)
			add(r)
			r.cloud.calls = append(r.cloud.calls, simcloud.JournalEntry{Seq: uint64(len(r.cloud.calls) + 1), Operation: "ListInstances", Effect: "page", Fault: "f"})
			r.flush()
		}, "removed and added again"},
		{"a route goes and comes back under another id", func(r *trial) {
			r.wait(newsTime)
			mine := func(id string) map[string]any { return routes(route(id, "10.244.0.0/24", "i-1")) }
			r.does(ccmAgent, "CreateRoute", tables, "rt-1", mine("r-2"))
			r.does(ccmAgent, "DeleteRoute", tables, "rt-1", routes())
			r.wait(time.Second)
			r.does(ccmAgent, "CreateRoute", tables, "rt-1", mine("r-3"))
		}, "the route to 10.244.0.0/24 by i-1 of route_table/rt-1"},
		{"the route leads elsewhere", func(r *trial) {
			r.does(ccmAgent, "CreateRoute", tables, "rt-1", routes(route("r-2", "10.244.0.0/24", "i-1")))
			r.does(ccmAgent, "DeleteRoute", tables, "rt-1", routes())
			r.does(ccmAgent, "CreateRoute", tables, "rt-1", routes(route("r-3", "10.244.0.0/24", "i-2")))
		}, ""},
	})
}
