package scenarios

import (
	"maps"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestAddressOracle(t *testing.T) {
	const lbs, fips = simcloud.KindLoadBalancer, simcloud.KindFloatingIP
	begin := func(r *trial) {
		r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-1", lb("x", "1.1.1.1"))
		r.service("web", tells("1.1.1.1"))
	}
	deleting := map[string]any{"metadata": map[string]any{"deletionTimestamp": "2026-11-21T00:00:00Z"}}
	trials(t, func(World) oracle { return newAddressOracle(World{}) }, []trialCase{
		{"it stays", func(r *trial) { begin(r); r.service("web", tells("1.1.1.1")) }, ""},
		{"the status tells another", func(r *trial) { begin(r); r.service("web", tells("2.2.2.2")) }, "Service web has lost its address 1.1.1.1"},
		{"the status tells one more", func(r *trial) { begin(r); r.service("web", tells("1.1.1.1", "2.2.2.2")) }, ""},
		{"the status tells none", func(r *trial) { begin(r); r.service("web", tells()) }, "its status tells none"},
		{"the Service asks for another", func(r *trial) {
			begin(r)
			more := tells("1.1.1.1")
			more["spec"] = map[string]any{"type": "LoadBalancer", "loadBalancerIP": "2.2.2.2"}
			r.service("web", more)
			more = maps.Clone(more)
			more["status"] = tells("2.2.2.2")["status"]
			r.service("web", more)
		}, ""},
		{"an annotation asks for another", func(r *trial) {
			begin(r)
			r.wait(time.Minute)
			more := tells("1.1.1.1")
			more["metadata"] = map[string]any{"annotations": map[string]any{"any.example/address": "2.2.2.2"}}
			r.service("web", more)
			r.wait(annotatedTime / 2)
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
			more = maps.Clone(more)
			more["status"] = tells("2.2.2.2")["status"]
			r.service("web", more)
		}, ""},
		{"the same, when the cloud refuses for long", func(r *trial) {
			begin(r)
			more := tells("1.1.1.1")
			more["metadata"] = map[string]any{"annotations": map[string]any{"any.example/address": "2.2.2.2"}}
			r.service("web", more)
			r.wait(time.Second)
			r.cloud.call(ccmAgent, "UpdateLoadBalancer", "", simcloud.Locked)
			r.flush()
			r.wait(2 * annotatedTime)
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
		}, ""},
		{"an annotation was about something else", func(r *trial) {
			begin(r)
			more := tells("1.1.1.1")
			more["metadata"] = map[string]any{"annotations": map[string]any{"example.org/again": "1"}}
			r.service("web", more)
			r.wait(annotatedTime)
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
		}, "the CCM has deleted load_balancer/lb-1"},
		{"the Service goes", func(r *trial) {
			begin(r)
			r.service("web", deleting)
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
			r.gone("services", "web")
		}, ""},
		{"the load balancer is seen to go before the Service is", func(r *trial) {
			begin(r)
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
			r.wait(time.Second)
			r.service("web", deleting)
		}, ""},
		{"it deletes the load balancer of a Service that stays", func(r *trial) {
			begin(r)
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
			r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-2", lb("x", "1.1.1.1"))
			r.wait(clusterLag)
			r.service("web", deleting)
		}, "the CCM has deleted load_balancer/lb-1, to which it leads, by DeleteLoadBalancer"},
		{"it takes the address from the load balancer first", func(r *trial) {
			begin(r)
			r.cloud.put(lbs, "lb-1", map[string]any{"name": "lb", "state": "active", "vips": []any{}})
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
		}, "the CCM has deleted load_balancer/lb-1"},
		{"it makes the new one before it deletes the old one", func(r *trial) {
			begin(r)
			r.does(ccmAgent, "CreateLoadBalancer", lbs, "lb-2", lb("x", "1.1.1.1"))
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
		}, ""},
		{"a step deletes the load balancer", func(r *trial) {
			begin(r)
			r.does(harnessAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
			r.service("web", tells("2.2.2.2"))
		}, ""},
		{"a step takes the address", func(r *trial) {
			r.does(ccmAgent, "CreateFloatingIP", fips, "fip-1", map[string]any{"address": "1.1.1.1", "state": "attached"})
			begin(r)
			r.does(harnessAgent, "DetachFloatingIP", fips, "fip-1", map[string]any{"address": "1.1.1.1", "state": "available"})
			r.service("web", tells("2.2.2.2"))
		}, ""},
		{"it replaces a broken one", func(r *trial) {
			begin(r)
			broken := lb("x", "1.1.1.1")
			broken["state"] = "error"
			r.does(harnessAgent, "FailoverLoadBalancer", lbs, "lb-1", broken)
			r.does(ccmAgent, "DeleteLoadBalancer", lbs, "lb-1", nil)
			r.service("web", tells("2.2.2.2"))
		}, ""},
		{"it was told to work otherwise", func(r *trial) {
			begin(r)
			r.wait(time.Second)
			r.step("ccm")
			if err := r.st.configureCCM(CCMSettings{Flags: []string{"--x"}}); err != nil {
				r.t.Fatal(err)
			}
			r.wait(time.Second)
			r.service("web", tells("2.2.2.2"))
		}, ""},
	})
}
