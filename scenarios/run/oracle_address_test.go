package run

import (
	"maps"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios/oracle"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

func TestAddressOracle(t *testing.T) {
	t.Parallel()
	const (
		own, other             = "127.77.1.1", "127.77.2.2"
		lb, fip    simcloud.ID = "lb-1", "fip-2"
	)
	begin := func(r *trial) {
		r.ccm.createPublicBalancer()
		r.ccm.createAddress(own, lb)
		r.service("web", tells(own))
	}
	// annotated is what the Service is after an annotation has come.
	annotated := func(r *trial, key, value string) map[string]any {
		more := tells(own)
		more["metadata"] = map[string]any{"annotations": map[string]any{key: value}}
		r.service("web", more)
		return more
	}
	deleting := map[string]any{"metadata": map[string]any{"deletionTimestamp": "2026-11-21T00:00:00Z"}}
	trials(t, named("address-kept"), []trialCase{
		{"it stays", func(r *trial) { begin(r); r.service("web", tells(own)) }, ""},
		{"the status tells another", func(r *trial) { begin(r); r.service("web", tells(other)) }, "Service web has lost its address " + own},
		{"the status tells one more", func(r *trial) { begin(r); r.service("web", tells(own, other)) }, ""},
		{"the status tells none", func(r *trial) { begin(r); r.service("web", tells()) }, "its status has none"},
		{"the Service asks for another", func(r *trial) {
			begin(r)
			more := tells(own)
			more["spec"] = map[string]any{"type": "LoadBalancer", "loadBalancerIP": other}
			r.service("web", more)
			more = maps.Clone(more)
			more["status"] = tells(other)["status"]
			r.service("web", more)
		}, ""},
		{"the status tells late what the Service has asked for and takes it away", func(r *trial) {
			begin(r)
			for _, families := range [][]any{{"IPv4", "IPv6"}, {"IPv4"}} {
				asking := tells(own)
				asking["spec"] = map[string]any{"type": "LoadBalancer", "ipFamilies": families}
				r.service("web", asking)
			}
			for _, told := range []map[string]any{tells(own, "fd77::1"), tells(own)} {
				told["spec"] = map[string]any{"type": "LoadBalancer", "ipFamilies": []any{"IPv4"}}
				r.service("web", told)
			}
		}, ""},
		{"the status loses an address of a family that the Service asks for", func(r *trial) {
			begin(r)
			for _, told := range []map[string]any{tells(own, "fd77::1"), tells("fd77::1")} {
				told["spec"] = map[string]any{"type": "LoadBalancer", "ipFamilies": []any{"IPv4"}}
				r.service("web", told)
			}
		}, "Service web has lost its address " + own},
		{"the status loses a hostname, which is of every family", func(r *trial) {
			begin(r)
			for _, told := range []map[string]any{tells("lb.example"), tells("other.example")} {
				told["spec"] = map[string]any{"type": "LoadBalancer", "ipFamilies": []any{"IPv6"}}
				r.service("web", told)
			}
		}, "Service web has lost its address lb.example"},
		{"an annotation asks for another", func(r *trial) {
			begin(r)
			r.wait(time.Minute)
			more := maps.Clone(annotated(r, "any.example/address", other))
			r.wait(oracle.AnnotatedTime / 2)
			r.ccm.deleteBalancer(lb)
			more["status"] = tells(other)["status"]
			r.service("web", more)
		}, ""},
		{"the same, when the cloud refuses for long", func(r *trial) {
			begin(r)
			annotated(r, "any.example/address", other)
			r.wait(time.Second)
			r.inject(1, "UpdateLoadBalancer", fault.Effect{Error: &fault.Problem{Code: simcloud.Locked}})
			r.ccm.fails(r.ccm.to.UpdateLoadBalancer(r.t.Context(), lb, simcloud.LoadBalancerUpdate{}))
			r.wait(2 * oracle.AnnotatedTime)
			r.ccm.deleteBalancer(lb)
		}, ""},
		{"an annotation was about something else", func(r *trial) {
			begin(r)
			annotated(r, "example.org/again", "1")
			r.wait(oracle.AnnotatedTime)
			r.ccm.deleteBalancer(lb)
		}, "the CCM has deleted load_balancer/lb-1"},
		{"the Service goes", func(r *trial) {
			begin(r)
			r.service("web", deleting)
			r.ccm.deleteBalancer(lb)
			r.gone("services", "web")
		}, ""},
		{"the load balancer is seen to go before the Service is", func(r *trial) {
			begin(r)
			r.ccm.deleteBalancer(lb)
			r.wait(time.Second)
			r.service("web", deleting)
		}, ""},
		{"it deletes the load balancer of a Service that stays", func(r *trial) {
			begin(r)
			r.ccm.deleteBalancer(lb)
			r.ccm.attachAddress(fip, r.ccm.createPublicBalancer())
			r.wait(oracle.ClusterLag)
			r.service("web", deleting)
		}, "the CCM has deleted load_balancer/lb-1, to which it leads, by DeleteLoadBalancer"},
		{"it takes the address from the load balancer first", func(r *trial) {
			begin(r)
			r.ccm.detachAddress(fip)
			r.ccm.deleteBalancer(lb)
		}, "the CCM has deleted load_balancer/lb-1"},
		{"it makes the new one before it deletes the old one", func(r *trial) {
			begin(r)
			r.ccm.detachAddress(fip)
			r.ccm.attachAddress(fip, r.ccm.createPublicBalancer())
			r.ccm.deleteBalancer(lb)
		}, ""},
		{"a step deletes the load balancer", func(r *trial) {
			begin(r)
			r.harness.deleteBalancer(lb)
			r.service("web", tells(other))
		}, ""},
		{"a step takes the address", func(r *trial) {
			begin(r)
			r.harness.detachAddress(fip)
			r.service("web", tells(other))
		}, ""},
		{"it replaces a broken one", func(r *trial) {
			begin(r)
			r.harness.breakBalancer(lb)
			r.ccm.deleteBalancer(lb)
			r.service("web", tells(other))
		}, ""},
		{"it replaces one that has broken at a call of its own", func(r *trial) {
			begin(r)
			r.ccm.breakBalancer(lb)
			r.ccm.deleteBalancer(lb)
			r.service("web", tells(other))
		}, ""},
		{"it was told to work otherwise", func(r *trial) {
			begin(r)
			r.wait(time.Second)
			r.step("ccm")
			if err := r.st.ConfigureCCM(control.Settings{Flags: []string{"--x"}}); err != nil {
				r.t.Fatal(err)
			}
			r.wait(time.Second)
			r.service("web", tells(other))
		}, ""},
	})
}
