package ccm

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func (w *world) maxTargets(n int) {
	w.t.Helper()
	if _, err := w.api.UpdateConfig(w.ctx(), simcloud.ConfigUpdate{MaxTargets: &n}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) targets() []simcloud.ID {
	w.t.Helper()
	var ids []simcloud.ID
	for _, t := range w.balancer().Targets {
		ids = append(ids, t.Instance)
	}
	slices.Sort(ids)
	return ids
}

// A load balancer that takes fewer targets than there are Nodes serves by some
// of them, by the same ones each time, and reports the others.
func TestTargetsAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 5)
	w.maxTargets(3)
	svc := ccmtest.Service()
	w.mustEnsure(svc)
	w.wantEvent("Warning TargetsLimited Load balancer lb-1 takes 3 targets: 2 of 5 Nodes are left out: [i-4 i-5]")
	want := func(ids ...simcloud.ID) {
		t.Helper()
		if diff := cmp.Diff(ids, w.targets()); diff != "" {
			t.Errorf("targets (-want +got):\n%s", diff)
		}
		w.wantIdle(svc)
	}
	want("i-1", "i-2", "i-3")
	w.nodes = append(w.nodes, w.boot("node-6"))
	w.mustEnsure(svc)
	want("i-1", "i-2", "i-3")
	w.nodes = w.nodes[2:]
	if err := w.cloud.balancers.UpdateLoadBalancer(w.ctx(), ccmtest.Cluster, svc, w.nodes); err != nil {
		t.Fatal(err)
	}
	want("i-3", "i-4", "i-5")
	w.nodes = w.nodes[3:] // all that is left is new
	w.told()
	w.mustEnsure(svc)
	want("i-6")
	if told := w.told(); len(told) > 0 {
		t.Errorf("there is room for all, and the Service is told %q", told)
	}
}

// Targets of others take their room, and stay.
func TestForeignTargetsTakeRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.maxTargets(2)
	w.strangersLB(simcloud.SchemePublic)
	svc := ccmtest.Numbered(1, ccmtest.Adopting("lb-1"))
	w.mustEnsure(svc)
	if diff := cmp.Diff([]simcloud.ID{"i-1", "i-4"}, w.targets()); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	w.wantIdle(svc)
	w.mustRemove(svc)
	if diff := cmp.Diff([]simcloud.ID{"i-4"}, w.targets()); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

// A full load balancer never has fewer targets than it had before a change of its Nodes but by one.
func TestAFullLoadBalancerIsNeverEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 6)
	w.maxTargets(3)
	all := w.nodes
	w.nodes = all[:3]
	w.mustEnsure(ccmtest.Service())
	w.failing = func(operation string, _ int) failure {
		if endpoint, _ := simcloud.EndpointOf(operation); endpoint.Write() && len(w.balancer().Targets) < 2 {
			t.Errorf("%s finds %d targets", operation, len(w.balancer().Targets))
		}
		return failure{}
	}
	w.nodes = all[3:]
	w.mustEnsure(ccmtest.Service())
	if diff := cmp.Diff([]simcloud.ID{"i-4", "i-5", "i-6"}, w.targets()); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

// What the cloud does not take of a load balancer does not stop the rest.
func TestABadPartDoesNotStopTheRest(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"CreateListener", "UpdateListener", "DeleteListener", "CreateTarget", "DeleteTarget", "UpdateLoadBalancer"} {
		for _, code := range []simcloud.Code{simcloud.Invalid, simcloud.Internal, simcloud.QuotaExceeded} {
			t.Run(fmt.Sprintf("%s %s", operation, code), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, 4)
				all := w.nodes
				w.nodes = all[:2]
				w.mustEnsure(ccmtest.Service(ccmtest.Ports(ccmtest.Port("TCP", 80, 30080), ccmtest.Port("TCP", 81, 30081), ccmtest.Port("TCP", 82, 30082), ccmtest.Port("TCP", 83, 30083))))
				w.nodes = all[2:]
				w.took()
				failed := false
				w.failing = func(op string, _ int) failure {
					if op != operation || failed {
						return failure{}
					}
					failed = true
					return failure{err: simcloud.Errorf(code, "", "this one is bad")}
				}
				changed := ccmtest.Service(ccmtest.Annotate(annotation.Algorithm, "least_connections"),
					ccmtest.Ports(ccmtest.Port("TCP", 80, 31080), ccmtest.Port("TCP", 81, 31081), ccmtest.Port("TCP", 90, 30090), ccmtest.Port("TCP", 91, 30091)))
				_, err := w.ensure(changed)
				skipped := operation == "CreateTarget" && code == simcloud.Invalid
				if (err == nil) != skipped {
					t.Errorf("got %v", err)
				}
				want := []string{"CreateListener", "CreateListener", "CreateTarget", "CreateTarget", "DeleteListener", "DeleteListener",
					"DeleteTarget", "DeleteTarget", "UpdateListener", "UpdateListener", "UpdateLoadBalancer"}
				got := writes(w.took())
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("writes (-want +got):\n%s", diff)
				}
				w.mustEnsure(changed)
				w.wantIdle(changed)
			})
		}
	}
}

// A create that is refused for some of its parts is made without them.
func TestABadPartOfACreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	refuse := true
	w.failing = func(operation string, _ int) failure {
		if operation != "CreateLoadBalancer" || !refuse {
			return failure{}
		}
		refuse = false
		return failure{err: simcloud.InvalidFields("load_balancer", []simcloud.FieldError{{Field: "listeners[0].port"}, {Field: "targets[1].instance"}})}
	}
	svc := ccmtest.Service(ccmtest.Ports(ccmtest.Port("TCP", 80, 30080), ccmtest.Port("TCP", 81, 30081)))
	w.mustEnsure(svc) // what was left out is taken one by one
	w.wantCloud("lb-1 active public round_robin", "tcp-81 to 30081, check tcp 30081", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-1 at lb-1")
	w.wantEvent("Warning TargetSkipped Instance i-2 is not a target")
}
