package scenarios

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ccmAgent is what the CCM of trials calls itself.
const ccmAgent = "any-ccm/1"

// trial is a world in which a test says what happens, to see what an oracle makes of it.
type trial struct {
	t     *testing.T
	cloud *fakeCloud
	st    *stage
	ccm   *fakeCCM
	ops   int
	seen  int // events that the store has
	// meanwhile happens while the oracle watches the world at rest.
	meanwhile func()
}

// try runs f, and returns what the oracle says of it. The VM i-1, which is the
// Node a, the table rt-1 with a route of others, and the address fip-9 were there before.
func try(t *testing.T, make func(World) oracle, f func(r *trial)) string {
	t.Helper()
	said := ""
	synctest.Test(t, func(t *testing.T) {
		r := &trial{t: t, cloud: newFakeCloud(), ccm: &fakeCCM{running: true}}
		w := World{Cloud: r.cloud, CCM: r.ccm, Harness: isHarness}
		o := make(w)
		r.st = &stage{World: w, store: newStore("default", o)}
		r.st.store.harness = isHarness
		r.st.feed = &cloudFeed{cloud: r.cloud, store: r.st.store, harness: isHarness}
		r.cloud.put(simcloud.KindInstance, "i-1", map[string]any{"name": "a", "hostname": "a", "state": "running"})
		r.cloud.put(simcloud.KindRouteTable, "rt-1", map[string]any{"name": "default", "routes": []any{route("r-1", "192.168.0.0/24", "i-9")}})
		r.cloud.put(simcloud.KindFloatingIP, "fip-9", map[string]any{"name": "reserved", "address": "127.77.0.9", "state": "available"})
		r.flush()
		r.st.store.beginDeeds()
		o.begin(r.st.store.snapshot())
		r.node("a", map[string]any{"spec": map[string]any{"providerID": "any://r/i-1", "podCIDR": "10.244.0.0/24"}})
		f(r)
		r.flush()
		var doing sync.WaitGroup
		if r.meanwhile != nil {
			doing.Go(r.meanwhile)
		}
		if resting, ok := o.(rester); ok {
			if err := resting.rest(t.Context(), r.st); err != nil {
				t.Fatal(err)
			}
		}
		for _, failure := range o.verdict(t.Context(), r.st, false) {
			said += failure.String()
		}
		doing.Wait()
	})
	return said
}

// flush brings into the store what the cloud has to tell.
func (r *trial) flush() {
	r.cloud.mu.Lock()
	events, calls := r.cloud.events[r.seen:], r.cloud.calls
	r.seen = len(r.cloud.events)
	r.cloud.mu.Unlock()
	for _, event := range events {
		if err := r.st.store.cloudEvent(event); err != nil {
			r.t.Error(err)
		}
	}
	r.st.store.addCalls(calls, isHarness)
}

// does lets somebody make or change a resource, or delete it when the object is nil.
func (r *trial) does(agent, verb string, kind simcloud.Kind, id simcloud.ID, object map[string]any) {
	r.ops++
	r.cloud.cause = simcloud.ID(fmt.Sprintf("op-%d", r.ops))
	if object == nil {
		r.cloud.remove(kind, id)
	} else {
		r.cloud.put(kind, id, object)
	}
	r.cloud.put(simcloud.KindOperation, r.cloud.cause, map[string]any{
		"verb": verb, "resource": map[string]any{"kind": kind, "id": id}, "caller": map[string]any{"userAgent": agent},
	})
	r.cloud.call(agent, verb, simcloud.Ref(kind, id), "")
	r.cloud.cause = ""
	r.flush()
}

// calls lets the CCM call the cloud without any effect.
func (r *trial) calls(operation string, times int) {
	for range times {
		r.cloud.call(ccmAgent, operation, "", "")
	}
	r.flush()
}

// service makes or changes a Service; its UID is u-<name>-0123456789abcdef0123456789abcdef.
func (r *trial) service(name string, change map[string]any) {
	r.object("services", name, change, map[string]any{"spec": map[string]any{"type": "LoadBalancer", "ports": []any{map[string]any{"port": int64(80)}}}})
}

func uidIn(name string) string { return "u-" + name + "-0123456789abcdef0123456789abcdef" }

func (r *trial) node(name string, change map[string]any) {
	r.object("nodes", name, change, map[string]any{"spec": map[string]any{}})
}

func (r *trial) object(variable, name string, change, object map[string]any) {
	metadata := map[string]any{"name": name, "uid": uidIn(name)}
	for key, value := range change {
		if key == "metadata" {
			for k, v := range value.(map[string]any) {
				metadata[k] = v
			}
			continue
		}
		object[key] = value
	}
	object["metadata"] = metadata
	r.st.store.setObject(variable, name, object)
}

func (r *trial) gone(variable, name string) { r.st.store.setObject(variable, name, nil) }

// step lets a step of the scenario do something.
func (r *trial) step(verb string) { r.st.acting(Step{Verb: verb})() }

func (r *trial) wait(d time.Duration) { time.Sleep(d) }

func tells(ips ...string) map[string]any {
	var ingress []any
	for _, ip := range ips {
		ingress = append(ingress, map[string]any{"ip": ip})
	}
	return map[string]any{"status": map[string]any{"loadBalancer": map[string]any{"ingress": ingress}}}
}

func route(id, destination, vm string) map[string]any {
	return map[string]any{"id": id, "destination": destination, "nextHop": map[string]any{"instance": vm}, "state": "active"}
}

func routes(all ...any) map[string]any { return map[string]any{"name": "default", "routes": all} }

// lb is a load balancer with a mark, an address and targets.
func lb(mark, vip string, targets ...string) map[string]any {
	var all []any
	for _, vm := range targets {
		all = append(all, map[string]any{"instance": vm, "weight": int64(1)})
	}
	return map[string]any{
		"name": "lb", "state": "active", "labels": map[string]any{"for": mark}, "targets": all,
		"vips": []any{map[string]any{"address": vip}}, "listeners": []any{map[string]any{"id": "tcp-80", "protocol": "tcp", "port": int64(80)}},
	}
}

// trials runs a table of worlds with one oracle.
func trials(t *testing.T, make func(World) oracle, table []trialCase) {
	t.Helper()
	for _, test := range table {
		t.Run(test.name, func(t *testing.T) { says(t, try(t, make, test.do), test.says) })
	}
}

type trialCase struct {
	name string
	do   func(r *trial)
	says string // "" for nothing
}
