package ccm

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Whoever made a load balancer finds it as it was, once the Services that it
// was lent to are gone.
func TestAnAdoptedLoadBalancerIsLent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	before := w.strangersLB(simcloud.SchemePublic)
	one, two := ccmtest.Numbered(1, ccmtest.Adopting("lb-1")), ccmtest.Numbered(2, ccmtest.Adopting("lb-1"))
	w.serve(one, two)
	status := w.mustEnsure(one)
	w.mustEnsure(two)
	if diff := cmp.Diff(statusAt(before.VIPs[0].Address), status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	w.wantCloud("lb-1 active public least_connections", "tcp-22 to 22", "tcp-8001 to 30001, check tcp 30001", "tcp-8002 to 30002, check tcp 30002",
		"target i-3", "target i-1", "target i-2", "fip-1 at lb-1")
	w.wantIdle(one)
	w.wantIdle(two)

	w.mustRemove(one)
	w.wantCloud("lb-1 active public least_connections", "tcp-22 to 22", "tcp-8002 to 30002, check tcp 30002",
		"target i-3", "target i-1", "target i-2", "fip-1 at lb-1")
	w.wantIdle(two)
	w.nodes = w.nodes[1:] // the target of a Service that has left is removed by the one that has stayed
	w.mustEnsure(two)
	w.wantCloud("lb-1 active public least_connections", "tcp-22 to 22", "tcp-8002 to 30002, check tcp 30002", "target i-3", "target i-2", "fip-1 at lb-1")

	w.mustRemove(two)
	if diff := cmp.Diff(timeless(before), timeless(w.lb("lb-1"))); diff != "" {
		t.Errorf("the load balancer (-before +after):\n%s", diff)
	}
}

// What cannot be is refused before anything has changed.
func TestAdoptionIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.strangersLB(simcloud.SchemePublic)
	own := ccmtest.Numbered(1)
	w.mustEnsure(own) // lb-2
	for words, svc := range map[string]*v1.Service{
		"load balancer not found":                                  ccmtest.Numbered(2, ccmtest.Adopting("lb-9")),
		"made for default/svc-1, and is deleted with it":           ccmtest.Numbered(2, ccmtest.Adopting("lb-2")),
		"it is public and serves others":                           ccmtest.Numbered(2, ccmtest.Adopting("lb-1"), ccmtest.Annotate(annotation.Internal, "true")),
		"listener tcp-22 is there":                                 ccmtest.Numbered(2, ccmtest.Adopting("lb-1"), ccmtest.Ports(ccmtest.Port("TCP", 23, 30023), ccmtest.Port("TCP", 22, 30022))),
		"does not have the address 127.77.9.9":                     ccmtest.Numbered(2, ccmtest.Adopting("lb-1"), func(svc *v1.Service) { svc.Spec.LoadBalancerIP = "127.77.9.9" }),
		"at most one of them can be set":                           ccmtest.Numbered(2, ccmtest.Adopting("lb-1"), ccmtest.Together),
		"load balancer lb-1 keeps its own addresses":               ccmtest.Numbered(2, ccmtest.Adopting("lb-1"), ccmtest.Annotate(annotation.FloatingIPs, "fip-1")),
		"the id of one load balancer":                              ccmtest.Numbered(2, ccmtest.Adopting("lb-1, lb-2")),
		`"no word": a word`:                                        nil,
		`annotation service.simcloud.dev/share: invalid value "A"`: ccmtest.Numbered(2, ccmtest.Annotate(annotation.Share, "A")),
	} {
		if svc != nil {
			w.wantRefusal(svc, words)
		}
	}
	// And it leaves what it has only once it can have what it asks for.
	own.Annotations[annotation.LoadBalancerID] = "lb-9"
	w.wantRefusal(own, "load balancer not found")
}

// A Service moves between a load balancer of its own, an adopted and a shared
// one, and leaves nothing where it was.
func TestAServiceMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	before := w.strangersLB(simcloud.SchemePublic)
	left := []string{"lb-1 active public least_connections", "tcp-22 to 22", "target i-2"}
	served := func(at string) []string {
		return []string{at, "tcp-8001 to 30001, check tcp 30001", "target i-1"}
	}
	for range 2 {
		for _, step := range []func(*v1.Service){func(*v1.Service) {}, ccmtest.Adopting("lb-1"), ccmtest.Together} {
			svc := ccmtest.Numbered(1, step)
			w.serve(svc)
			w.mustEnsure(svc)
			w.wantIdle(svc)
			all := w.state().LoadBalancers
			switch {
			case svc.Annotations[annotation.LoadBalancerID] != "":
				if len(all) != 1 || len(w.state().FloatingIPs) != 1 {
					t.Errorf("adopted, and there are %v", w.cloudLines())
				}
			default:
				want := append(left, served(string(all[1].ID)+" active public round_robin")...)
				if diff := cmp.Diff(want, w.cloudLines()[:6]); diff != "" {
					t.Errorf("the cloud (-want +got):\n%s", diff)
				}
				if n := len(w.state().FloatingIPs); n != 2 {
					t.Errorf("%d floating IPs, want that of the stranger and one of the Service", n)
				}
			}
		}
	}
	w.mustRemove(ccmtest.Numbered(1, ccmtest.Together))
	if diff := cmp.Diff(timeless(before), timeless(w.balancer())); diff != "" {
		t.Errorf("what the stranger has (-before +after):\n%s", diff)
	}
}

// The cloud changes nothing of a load balancer in state error, so its
// owner has to repair it; but the deletion of a Service does not wait for that.
func TestAnAdoptedLoadBalancerInError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.strangersLB(simcloud.SchemePublic)
	svc := ccmtest.Numbered(1, ccmtest.Adopting("lb-1"))
	w.mustEnsure(svc)
	w.breakLB("lb-1")
	w.wantRefusal(svc, "its owner has to fail it over")
	w.mustRemove(svc)
	w.wantCloud("lb-1 active public least_connections", "tcp-22 to 22", "target i-2", "fip-1 at lb-1")
	w.wantEvent("Warning FailingOverLoadBalancer Load balancer lb-1 is in state error")
}

// One that is gone with all that was on it blocks no Service.
func TestAnAdoptedLoadBalancerIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.strangersLB(simcloud.SchemeInternal)
	svc := ccmtest.Numbered(1, ccmtest.Adopting("lb-1"), ccmtest.Annotate(annotation.Internal, "true"))
	w.mustEnsure(svc)
	if _, err := w.api.DeleteLoadBalancer(w.ctx(), "lb-1"); err != nil {
		t.Fatal(err)
	}
	w.wantRefusal(svc, "load balancer not found")
	w.mustRemove(svc)
	w.wantEmpty()
}

// A Service that goes before it is known whether it has joined waits for that:
// the cloud may yet do it.
func TestAJoinWithoutAnAnswerIsWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.strangersLB(simcloud.SchemePublic)
	svc := ccmtest.Numbered(1, ccmtest.Adopting("lb-1"))
	w.failing = func(operation string, _ int) failure {
		if operation != "UpdateLoadBalancer" {
			return failure{}
		}
		return failure{err: lost()}
	}
	if _, err := w.ensure(svc); err == nil {
		t.Fatal("the lost answer is no error")
	}
	if err := w.remove(svc); !errors.Is(err, simcloud.Locked) {
		t.Errorf("got %v, want a wait", err)
	}
	w.now = w.now.Add(call.UnsettledFor)
	w.mustRemove(svc)
	w.wantCloud("lb-1 active public least_connections", "tcp-22 to 22", "target i-2", "fip-1 at lb-1")
}
