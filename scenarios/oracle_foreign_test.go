package scenarios

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestForeignOracle(t *testing.T) {
	const (
		lbs, vms, tables, fips = simcloud.KindLoadBalancer, simcloud.KindInstance, simcloud.KindRouteTable, simcloud.KindFloatingIP
		office                 = "192.168.0.0/24"
	)
	withListener := func(object map[string]any, port int64) map[string]any {
		object["listeners"] = append(list(object["listeners"]), map[string]any{"id": "x", "protocol": "tcp", "port": port})
		return object
	}
	trials(t, func(World) oracle { return newForeignOracle() }, []trialCase{
		{"it deletes an address that was there", func(r *trial) {
			r.does(ccmAgent, "DeleteFloatingIP", fips, "fip-9", nil)
		}, `has deleted floating_ip/fip-9 "reserved"`},
		{"a step does", func(r *trial) { r.does(harnessAgent, "DeleteFloatingIP", fips, "fip-9", nil) }, ""},
		{"it starts a VM", func(r *trial) {
			r.does(ccmAgent, "StartInstance", vms, "i-1", map[string]any{"name": "a", "hostname": "a", "state": "pending"})
		}, `has changed instance/i-1 "a"`},
		{"it changes an address that no Service asks for", func(r *trial) {
			r.does(ccmAgent, "AttachFloatingIP", fips, "fip-9", map[string]any{"name": "mine", "address": "127.77.0.9", "state": "attached"})
		}, `has changed floating_ip/fip-9`},
		{"it changes one that a Service asks for", func(r *trial) {
			r.service("web", map[string]any{"spec": map[string]any{"type": "LoadBalancer", "loadBalancerIP": "127.77.0.9"}})
			r.does(ccmAgent, "AttachFloatingIP", fips, "fip-9", map[string]any{"name": "mine", "address": "127.77.0.9", "state": "attached"})
		}, ""},
		{"and deletes it", func(r *trial) {
			r.service("web", map[string]any{"spec": map[string]any{"type": "LoadBalancer", "loadBalancerIP": "127.77.0.9"}})
			r.does(ccmAgent, "DeleteFloatingIP", fips, "fip-9", nil)
		}, `has deleted floating_ip/fip-9 "reserved"`},
		{"it adds a route and removes it", func(r *trial) {
			r.does(ccmAgent, "CreateRoute", tables, "rt-1", routes(route("r-1", office, "i-9"), route("r-2", "10.0.0.0/8", "i-1")))
			r.does(ccmAgent, "DeleteRoute", tables, "rt-1", routes(route("r-1", office, "i-9")))
		}, ""},
		{"it removes the route of others", func(r *trial) {
			r.does(ccmAgent, "DeleteRoute", tables, "rt-1", routes())
		}, "has removed the route r-1 of route_table/rt-1"},
		{"it removes one that a step has made", func(r *trial) {
			r.does(harnessAgent, "CreateRoute", tables, "rt-1", routes(route("r-1", office, "i-9"), route("r-2", "192.168.7.0/24", "i-1")))
			r.does(ccmAgent, "DeleteRoute", tables, "rt-1", routes(route("r-1", office, "i-9")))
		}, "has removed the route r-2"},
		{"it removes one to pods", func(r *trial) {
			r.does(harnessAgent, "CreateRoute", tables, "rt-1", routes(route("r-1", office, "i-9"), route("r-2", "10.244.9.0/24", "i-1")))
			r.does(ccmAgent, "DeleteRoute", tables, "rt-1", routes(route("r-1", office, "i-9")))
		}, ""},
		{"it removes the route of others to everywhere", func(r *trial) {
			r.does(harnessAgent, "CreateRoute", tables, "rt-1", routes(route("r-1", office, "i-9"), route("r-2", "0.0.0.0/0", "i-1")))
			r.does(ccmAgent, "DeleteRoute", tables, "rt-1", routes(route("r-1", office, "i-9")))
		}, "has removed the route r-2"},
		{"it adds to the load balancer of others what they had there before, and removes it", func(r *trial) {
			r.does(harnessAgent, "CreateLoadBalancer", lbs, "lb-1", lb("x", "1.1.1.1", "i-1"))
			r.does(harnessAgent, "DeleteTarget", lbs, "lb-1", lb("x", "1.1.1.1"))
			r.does(ccmAgent, "CreateTarget", lbs, "lb-1", lb("x", "1.1.1.1", "i-1"))
			r.does(ccmAgent, "DeleteTarget", lbs, "lb-1", lb("x", "1.1.1.1"))
		}, ""},
		{"it removes what others have put where it had its own", func(r *trial) {
			r.does(harnessAgent, "CreateLoadBalancer", lbs, "lb-1", lb("x", "1.1.1.1"))
			r.does(ccmAgent, "CreateTarget", lbs, "lb-1", lb("x", "1.1.1.1", "i-1"))
			r.does(ccmAgent, "DeleteTarget", lbs, "lb-1", lb("x", "1.1.1.1"))
			r.does(harnessAgent, "CreateTarget", lbs, "lb-1", lb("x", "1.1.1.1", "i-1"))
			r.does(ccmAgent, "DeleteTarget", lbs, "lb-1", lb("x", "1.1.1.1"))
		}, "has removed the target i-1 of load_balancer/lb-1"},
		{"it removes its load balancer with what others have added", func(r *trial) {
			r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-1", lb("x", "1.1.1.1"))
			r.does(harnessAgent, "CreateTarget", lbs, "lb-1", lb("x", "1.1.1.1", "i-1"))
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
		}, ""},
		{"it removes a target that others have added, which is no Node", func(r *trial) {
			r.does(harnessAgent, "CreateInstance", vms, "i-2", map[string]any{"name": "b", "hostname": "b", "state": "running"})
			r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-1", lb("x", "1.1.1.1", "i-1"))
			r.does(harnessAgent, "CreateTarget", lbs, "lb-1", lb("x", "1.1.1.1", "i-1", "i-2"))
			r.does(ccmAgent, "DeleteTarget", lbs, "lb-1", lb("x", "1.1.1.1", "i-1"))
		}, "has removed the target i-2 of load_balancer/lb-1"},
		{"the same, and later its VM goes", func(r *trial) {
			r.does(harnessAgent, "CreateInstance", vms, "i-2", map[string]any{"name": "b", "hostname": "b", "state": "running"})
			r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-1", lb("x", "1.1.1.1", "i-1"))
			r.does(harnessAgent, "CreateTarget", lbs, "lb-1", lb("x", "1.1.1.1", "i-1", "i-2"))
			r.does(ccmAgent, "DeleteTarget", lbs, "lb-1", lb("x", "1.1.1.1", "i-1"))
			r.does(harnessAgent, "DeleteInstance", vms, "i-2", nil)
		}, "has removed the target i-2 of load_balancer/lb-1"},
		{"one whose VM is gone", func(r *trial) {
			r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-1", lb("x", "1.1.1.1"))
			r.does(harnessAgent, "CreateTarget", lbs, "lb-1", lb("x", "1.1.1.1", "i-1"))
			r.does(harnessAgent, "DeleteInstance", vms, "i-1", nil)
			r.does(ccmAgent, "DeleteTarget", lbs, "lb-1", lb("x", "1.1.1.1"))
		}, ""},
		{"it removes the listener of others", func(r *trial) {
			r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-1", lb("x", "1.1.1.1"))
			r.does(harnessAgent, "CreateListener", lbs, "lb-1", withListener(lb("x", "1.1.1.1"), 9100))
			r.does(ccmAgent, "DeleteListener", lbs, "lb-1", lb("x", "1.1.1.1"))
		}, "has removed the listener x of load_balancer/lb-1"},
		{"it mends a listener on a port of a Service", func(r *trial) {
			r.service("web", nil)
			r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-1", lb("x", "1.1.1.1"))
			r.does(harnessAgent, "CreateListener", lbs, "lb-1", withListener(lb("x", "1.1.1.1"), 80))
			r.does(ccmAgent, "DeleteListener", lbs, "lb-1", lb("x", "1.1.1.1"))
		}, ""},
		{"it deletes what others have made for a Service of this cluster", func(r *trial) {
			r.service("web", nil)
			r.does(harnessAgent, "CreateLoadBalancer", lbs, "lb-1", lb(uidIn("web"), "1.1.1.1"))
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
		}, ""},
		{"and for one of another cluster", func(r *trial) {
			r.service("web", nil)
			r.does(harnessAgent, "CreateLoadBalancer", lbs, "lb-1", lb(uidIn("other"), "1.1.1.1"))
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
		}, `has deleted load_balancer/lb-1 "lb"`},
		{"the cloud changes a VM by itself before it calls", func(r *trial) {
			r.cloud.put(vms, "i-1", map[string]any{"name": "a", "hostname": "a", "state": "stopped"})
			r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-1", lb("x", "1.1.1.1"))
		}, ""},
	})
}
