package ccm

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// The label that says who uses a load balancer comes first: without it no
// later call would find and remove what the Service has there.
func TestALoadBalancerThatTakesNoMoreUsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.strangersLB(simcloud.SchemePublic)
	labels := map[string]string{}
	for i := range 64 { // as many as the cloud takes
		labels[fmt.Sprintf("label-%d", i)] = ""
	}
	if _, err := w.api.UpdateLoadBalancer(w.ctx(), "lb-1", simcloud.LoadBalancerUpdate{Labels: &labels}); err != nil {
		t.Fatal(err)
	}
	svc := ccmtest.Numbered(1, ccmtest.Adopting("lb-1"))
	w.wantRefusal(svc, "65 labels are too many")
	if _, err := w.ensure(svc); !errors.Is(err, simcloud.Invalid) {
		t.Errorf("got %v, want Invalid", err)
	}
	w.mustRemove(svc)
	w.wantCloud("lb-1 active public least_connections", "tcp-22 to 22", "target i-2", "fip-1 at lb-1")
}

// And it goes last: what the cloud does not take away yet has to be found once more.
func TestAListenerThatDoesNotGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.strangersLB(simcloud.SchemePublic)
	svc := ccmtest.Numbered(1, ccmtest.Adopting("lb-1"))
	w.mustEnsure(svc)
	w.failing = func(operation string, _ int) failure {
		if operation != "DeleteListener" {
			return failure{}
		}
		return failure{err: simcloud.Errorf(simcloud.Internal, "", "a broken cloud")}
	}
	if err := w.remove(svc); !errors.Is(err, simcloud.Internal) {
		t.Errorf("got %v, want Internal", err)
	}
	w.failing = nil
	w.mustRemove(svc)
	w.wantCloud("lb-1 active public least_connections", "tcp-22 to 22", "target i-2", "fip-1 at lb-1")
}

// Two clusters are served by one load balancer, and a Service of the first goes:
// no Service of the second may remove the targets that another one of the first needs.
func TestTargetsOfAnotherCluster(t *testing.T) {
	t.Parallel()
	cloud := simtest.New(t)
	a := newWorldIn(t, cloud, 1)
	before := a.strangersLB(simcloud.SchemePublic)
	b := newWorldIn(t, cloud, 0)
	b.cluster, b.nodes = "another", append(b.nodes, b.boot("other-1"))
	one, two, other := ccmtest.Numbered(1, ccmtest.Adopting("lb-1")), ccmtest.Numbered(2, ccmtest.Adopting("lb-1")), ccmtest.Numbered(3, ccmtest.Adopting("lb-1"))
	a.serve(one, two)
	b.serve(other)
	a.mustEnsure(one)
	a.mustEnsure(two)
	b.mustEnsure(other)
	a.mustRemove(one)
	a.serve(two)
	b.mustEnsure(other)
	b.wantIdle(other)
	a.wantIdle(two)
	a.wantCloud("lb-1 active public least_connections", "tcp-22 to 22", "tcp-8002 to 30002, check tcp 30002", "tcp-8003 to 30003, check tcp 30003",
		"target i-2", "target i-1", "target i-3", "fip-1 at lb-1")
	a.mustRemove(two)
	b.mustRemove(other)
	if diff := cmp.Diff(timeless(before), timeless(a.balancer())); diff != "" {
		t.Errorf("the load balancer (-before +after):\n%s", diff)
	}
}
