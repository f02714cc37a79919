package scenarios

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// judged runs an oracle over what f does to the world, and returns what it says.
func judged(t *testing.T, o oracle, f func(cloud *fakeCloud, st *stage)) string {
	t.Helper()
	said := ""
	synctest.Test(t, func(t *testing.T) {
		cloud := newFakeCloud()
		cloud.put(simcloud.KindInstance, "i-1", map[string]any{"name": "a", "hostname": "a", "state": "running"})
		cloud.put(simcloud.KindRouteTable, "rt-1", map[string]any{"name": "default"})
		st := &stage{World: World{Cloud: cloud}, store: newStore("default", o)}
		st.feed = &cloudFeed{cloud: cloud, store: st.store, harness: isHarness}
		for _, sync := range []func(){func() {}, func() { o.begin(st.store.snapshot()); f(cloud, st) }} {
			sync()
			if err := st.feed.readState(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		entries, _ := cloud.ListJournal(t.Context(), simcloud.JournalFilter{})
		st.store.addCalls(entries, isHarness)
		for _, failure := range o.verdict(t.Context(), st, false) {
			said += failure.String()
		}
	})
	return said
}

func nodeOf(name, uid, providerID string) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"name": name, "uid": uid},
		"spec":     map[string]any{"providerID": providerID},
	}
}

func TestNodeOracle(t *testing.T) {
	tests := []struct {
		name string
		do   func(cloud *fakeCloud, st *stage)
		says string
	}{
		{"a Node is deleted, its VM exists", func(_ *fakeCloud, st *stage) {
			st.store.setObject("nodes", "a", nodeOf("a", "u-1", "any://region/i-1"))
			st.store.setObject("nodes", "a", nil)
		}, "Node a was deleted while its VM i-1 exists"},
		{"a step deletes it", func(_ *fakeCloud, st *stage) {
			st.store.setObject("nodes", "a", nodeOf("a", "u-1", "any://region/i-1"))
			st.deleted = append(st.deleted, "u-1")
			st.store.setObject("nodes", "a", nil)
		}, ""},
		{"it came back after that, and is deleted again", func(_ *fakeCloud, st *stage) {
			st.deleted = append(st.deleted, "u-1")
			st.store.setObject("nodes", "a", nodeOf("a", "u-2", "any://region/i-1"))
			st.store.setObject("nodes", "a", nil)
		}, "Node a was deleted while its VM i-1 exists"},
		{"it is of that VM of its name that has its address", func(cloud *fakeCloud, st *stage) {
			for _, id := range []simcloud.ID{"i-2", "i-0"} {
				cloud.put(simcloud.KindInstance, id, map[string]any{"hostname": "a", "state": "running", "addresses": []any{map[string]any{"address": "10.0.0." + string(id[2:])}}})
			}
			_ = st.feed.readState(t.Context())
			node := nodeOf("a", "u-1", "")
			node["status"] = map[string]any{"addresses": []any{map[string]any{"type": "InternalIP", "address": "10.0.0.2"}}}
			st.store.setObject("nodes", "a", node)
			cloud.remove(simcloud.KindInstance, "i-2")
			_ = st.feed.readState(t.Context())
			st.store.setObject("nodes", "a", nil)
		}, ""},
		{"the same before it was initialised", func(_ *fakeCloud, st *stage) {
			st.store.setObject("nodes", "a", nodeOf("a", "u-1", ""))
			st.store.setObject("nodes", "a", nil)
		}, "VM i-1 exists"},
		{"the Node has another name than its VM", func(_ *fakeCloud, st *stage) {
			st.store.setObject("nodes", "b", nodeOf("b", "u-1", "any://i-1"))
			st.store.setObject("nodes", "b", nil)
		}, "Node b was deleted while its VM i-1 exists"},
		{"the VM is stopped", func(cloud *fakeCloud, st *stage) {
			st.store.setObject("nodes", "a", nodeOf("a", "u-1", "any://i-1"))
			cloud.put(simcloud.KindInstance, "i-1", map[string]any{"hostname": "a", "state": "stopped"})
			_ = st.feed.readState(t.Context())
			st.store.setObject("nodes", "a", nil)
		}, "is stopped"},
		{"the Node came back under its name", func(_ *fakeCloud, st *stage) {
			st.store.setObject("nodes", "a", nodeOf("a", "u-1", "any://i-1"))
			st.store.setObject("nodes", "a", nil)
			st.store.setObject("nodes", "a", nodeOf("a", "u-2", "any://i-1"))
		}, "UID u-1"},
		{"the VM is gone", func(cloud *fakeCloud, st *stage) {
			st.store.setObject("nodes", "a", nodeOf("a", "u-1", "any://i-1"))
			cloud.remove(simcloud.KindInstance, "i-1")
			_ = st.feed.readState(t.Context())
			st.store.setObject("nodes", "a", nil)
		}, ""},
		{"another VM has its name by now", func(cloud *fakeCloud, st *stage) {
			st.store.setObject("nodes", "a", nodeOf("a", "u-1", "any://i-1"))
			cloud.remove(simcloud.KindInstance, "i-1")
			cloud.put(simcloud.KindInstance, "i-2", map[string]any{"hostname": "a", "state": "running"})
			_ = st.feed.readState(t.Context())
			st.store.setObject("nodes", "a", nil)
		}, ""},
		{"it is known by its address alone", func(cloud *fakeCloud, st *stage) {
			cloud.put(simcloud.KindInstance, "i-1", map[string]any{"hostname": "a", "state": "running", "addresses": []any{map[string]any{"address": "10.0.0.1"}}})
			_ = st.feed.readState(t.Context())
			node := nodeOf("b", "u-1", "")
			node["status"] = map[string]any{"addresses": []any{map[string]any{"type": "InternalIP", "address": "10.0.0.1"}}}
			st.store.setObject("nodes", "b", node)
			st.store.setObject("nodes", "b", nil)
		}, "Node b was deleted while its VM i-1 exists"},
		{"a Node that never had a VM", func(_ *fakeCloud, st *stage) {
			st.store.setObject("nodes", "b", nodeOf("b", "u-1", ""))
			st.store.setObject("nodes", "b", nil)
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { says(t, judged(t, newNodeOracle(), test.do), test.says) })
	}
}

func TestLeakOracle(t *testing.T) {
	const lbs, tables, vms = simcloud.KindLoadBalancer, simcloud.KindRouteTable, simcloud.KindInstance
	office := route("r-1", "192.168.0.0/24", "i-9")
	hop := func(address string) map[string]any {
		return map[string]any{"id": "r-2", "destination": "10.244.0.0/24", "nextHop": map[string]any{"address": address}}
	}
	trials(t, func(World) oracle { return newLeakOracle() }, []trialCase{
		{"nothing", func(*trial) {}, ""},
		{"a load balancer", func(r *trial) {
			r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-1", map[string]any{"name": "web"})
		}, `load_balancer/lb-1 "web": made by CreateLoadBalancer of ` + ccmAgent},
		{"one that nobody has called for", func(r *trial) {
			r.cloud.put(lbs, "lb-1", map[string]any{"name": "web"})
		}, `load_balancer/lb-1 "web": nobody called for it`},
		{"removed in the end", func(r *trial) {
			r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-1", map[string]any{"name": "web"})
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
		}, ""},
		{"a route to a VM that exists", func(r *trial) {
			r.does(ccmAgent, "CreateRoute", tables, "rt-1", routes(office, route("r-2", "10.244.0.0/24", "i-1")))
		}, ""},
		{"a route to an address of a VM that exists", func(r *trial) {
			r.does(harnessAgent, "UpdateInstance", vms, "i-1", map[string]any{"name": "a", "addresses": []any{map[string]any{"address": "10.0.0.1"}}})
			r.does(ccmAgent, "CreateRoute", tables, "rt-1", routes(office, hop("10.0.0.1")))
		}, ""},
		{"a route to an address of nobody", func(r *trial) {
			r.does(ccmAgent, "CreateRoute", tables, "rt-1", routes(office, hop("10.0.0.9")))
		}, "route/r-2 to 10.244.0.0/24 in route_table/rt-1"},
		{"a route to nowhere, with who has made it and nobody else", func(r *trial) {
			r.does("ccm/1", "CreateRoute", tables, "rt-1", routes(office, route("r-2", "10.244.0.0/24", "i-1")))
			r.does("ccm/2", "CreateRoute", tables, "rt-1", routes(office, route("r-2", "10.244.0.0/24", "i-1"), route("r-3", "10.244.1.0/24", "i-9")))
		}, "route/r-3 to 10.244.1.0/24 in route_table/rt-1: made by CreateRoute of ccm/2"},
	})
}

func TestCCMOracle(t *testing.T) {
	ccm, standby := &fakeCCM{}, &fakeCCM{}
	st := &stage{World: World{CCM: ccm, Standby: standby}}
	if got := (ccmOracle{}).verdict(t.Context(), st, false); got != nil {
		t.Errorf("a CCM that is well: %v", got)
	}
	standby.exits = []Exit{{Reason: "lost its lease"}}
	for _, f := range (ccmOracle{}).verdict(t.Context(), st, false) {
		says(t, f.String(), "the standby of the CCM did not stay alive: lost its lease")
	}
	ccm.exits = []Exit{{Reason: "exit status 2", Log: []string{"panic: nil map"}}}
	for _, f := range (ccmOracle{}).verdict(t.Context(), st, false) {
		says(t, f.String(), "exit status 2")
		says(t, f.String(), "panic: nil map")
		return
	}
	t.Error("nothing was said of a CCM that died")
}

func says(t *testing.T, got, want string) {
	t.Helper()
	if (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("it said %q, want %q", got, want)
	}
}
