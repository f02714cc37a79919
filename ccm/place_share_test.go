package ccm

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// Services of one share have one load balancer and one address, until the last of them goes.
func TestServicesShare(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	one, two := ccmtest.Numbered(1, ccmtest.Together), ccmtest.Numbered(2, ccmtest.Together)
	w.serve(one, two)
	status := w.mustEnsure(one)
	if diff := cmp.Diff(status, w.mustEnsure(two)); diff != "" {
		t.Errorf("the second Service has another address (-first +second):\n%s", diff)
	}
	w.wantCloud("lb-1 active public round_robin", "tcp-8001 to 30001, check tcp 30001", "tcp-8002 to 30002, check tcp 30002",
		"target i-1", "target i-2", "fip-1 at lb-1")
	w.wantIdle(one)
	w.wantIdle(two)
	w.wantRefusal(ccmtest.Numbered(3, ccmtest.Together, ccmtest.Ports(ccmtest.Port("TCP", 83, 30083), ccmtest.Port("TCP", 8001, 30084))), "listener tcp-8001 is there and not this Service's")
	w.wantRefusal(ccmtest.Numbered(3, ccmtest.Together, ccmtest.Annotate(annotation.Internal, "true")), "it is public and serves others")
	w.wantRefusal(ccmtest.Numbered(3, ccmtest.Together, func(svc *v1.Service) { svc.Spec.LoadBalancerIP = "127.77.9.9" }), "does not have the address 127.77.9.9")

	w.wantRefusal(ccmtest.Numbered(3, ccmtest.Together, ccmtest.Annotate(annotation.FloatingIPs, "fip-9")), "does not have the address fip-9")

	w.mustRemove(one)
	w.wantCloud("lb-1 active public round_robin", "tcp-8002 to 30002, check tcp 30002", "target i-1", "target i-2", "fip-1 at lb-1")
	w.serve(two)
	w.wantIdle(two)
	w.nodes = append(w.nodes[1:], w.boot("node-3"))
	if err := w.cloud.balancers.UpdateLoadBalancer(w.ctx(), ccmtest.Cluster, two, w.nodes); err != nil {
		t.Error(err)
	}
	w.wantCloud("lb-1 active public round_robin", "tcp-8002 to 30002, check tcp 30002", "target i-2", "target i-3", "fip-1 at lb-1")
	w.mustRemove(two)
	w.wantEmpty()
}

// shareTwo makes two Services on one load balancer.
func (w *world) shareTwo() (one, two *v1.Service) {
	w.t.Helper()
	one, two = ccmtest.Numbered(1, ccmtest.Together), ccmtest.Numbered(2, ccmtest.Together)
	w.serve(one, two)
	w.mustEnsure(one)
	w.mustEnsure(two)
	return one, two
}

// A port that is taken later on stops neither the Service's other ports nor other Services.
func TestAPortIsTakenLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	one, _ := w.shareTwo()
	more := ccmtest.Numbered(2, ccmtest.Together, ccmtest.Ports(ccmtest.Port("TCP", 8001, 31001), ccmtest.Port("TCP", 8003, 31003)))
	if _, err := w.ensure(more); !errors.Is(err, simcloud.InUse) {
		t.Errorf("got %v, want InUse", err)
	}
	w.wantCloud("lb-1 active public round_robin", "tcp-8001 to 30001, check tcp 30001", "tcp-8003 to 31003, check tcp 31003", "target i-1", "fip-1 at lb-1")
	w.mustRemove(one)
	w.mustEnsure(more) // now it is free
	w.wantIdle(more)
}

// All at once make one load balancer, and one address.
func TestManyShareAtOnce(t *testing.T) {
	t.Parallel()
	const n = 12
	w := newWorld(t, 2)
	var all []*v1.Service
	for i := range n {
		all = append(all, ccmtest.Numbered(i, ccmtest.Together))
	}
	w.serve(all...)
	each := func(do func(*v1.Service) error) {
		var group sync.WaitGroup
		for _, svc := range all {
			group.Go(func() {
				err := do(svc)
				for range 5 { // the controller comes back, too
					if err == nil {
						return
					}
					err = do(svc)
				}
				t.Errorf("%s: %v", svc.Name, err)
			})
		}
		group.Wait()
	}
	each(func(svc *v1.Service) error { _, err := w.ensure(svc); return err })
	if lb := w.balancer(); len(lb.Listeners) != n || len(lb.Targets) != 2 || len(lb.VIPs) != 1 {
		t.Errorf("%d listeners, %d targets, %d addresses: %v", len(lb.Listeners), len(lb.Targets), len(lb.VIPs), w.cloudLines())
	}
	each(w.remove)
	w.wantEmpty()
}

// Two clusters of one name, in one project, do not meet in a share of one name.
func TestSharesOfTwoClusters(t *testing.T) {
	t.Parallel()
	cloud := simtest.New(t)
	a, b := newWorldIn(t, cloud, 1), newWorldIn(t, cloud, 0)
	b.nodes = append(b.nodes, b.boot("other-1"))
	one, other := ccmtest.Numbered(1, ccmtest.Together), ccmtest.Numbered(2, ccmtest.Together)
	a.serve(one)
	b.serve(other)
	a.mustEnsure(one)
	b.mustEnsure(other)
	a.wantIdle(one)
	b.wantIdle(other)
	a.wantCloud("lb-1 active public round_robin", "tcp-8001 to 30001, check tcp 30001", "target i-1",
		"lb-2 active public round_robin", "tcp-8002 to 30002, check tcp 30002", "target i-2", "fip-1 at lb-1", "fip-2 at lb-2")
	a.mustRemove(one)
	b.wantCloud("lb-2 active public round_robin", "tcp-8002 to 30002, check tcp 30002", "target i-2", "fip-2 at lb-2")
	b.wantIdle(other)
}

// The oldest decides what concerns all; who wants it otherwise is told so.
func TestTheOldestOfAShareDecides(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	least := ccmtest.Annotate(annotation.Algorithm, "least_connections")
	one, two := ccmtest.Numbered(1, ccmtest.Together), ccmtest.Numbered(2, ccmtest.Together, least)
	w.serve(one, two)
	w.mustEnsure(two)
	w.mustEnsure(one)
	w.mustEnsure(two)
	w.wantEvent("Warning SettingNotFollowed Load balancer lb-1 stays round_robin instead of least_connections")
	if got := w.balancer().Algorithm; got != simcloud.RoundRobin {
		t.Errorf("it is %s, and the oldest Service asks for round_robin", got)
	}
	w.wantIdle(one)
	w.wantIdle(two)
	w.mustRemove(one)
	w.mustEnsure(two)
	if got := w.balancer().Algorithm; got != simcloud.LeastConnections {
		t.Errorf("it is %s, and the only Service asks for least_connections", got)
	}
}

// A shared load balancer in state error is failed over: recreated, it would
// lose the listeners of Services that are not ensured again.
func TestASharedLoadBalancerInError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	one, two := w.shareTwo()
	want := w.cloudLines()
	w.breakLB("lb-1")
	w.mustEnsure(two)
	w.wantCloud(want...)
	w.wantEvent("Warning FailingOverLoadBalancer")

	w.mustRemove(one)
	w.serve(two)
	w.breakLB("lb-1")
	w.mustRemove(two)
	w.wantEmpty()
}

// Another client has deleted the load balancer: it is made again, with its address,
// and nothing stays behind when the Services go instead.
func TestASharedLoadBalancerIsGone(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{true, false} {
		w := newWorld(t, 1)
		one, two := ccmtest.Numbered(1, ccmtest.Together), ccmtest.Numbered(2, ccmtest.Together)
		w.serve(one, two)
		before := w.mustEnsure(one)
		w.mustEnsure(two)
		if _, err := w.api.DeleteLoadBalancer(w.ctx(), "lb-1"); err != nil {
			t.Fatal(err)
		}
		if again {
			if diff := cmp.Diff(before, w.mustEnsure(two)); diff != "" {
				t.Errorf("status (-before +after):\n%s", diff)
			}
			w.mustEnsure(one)
		}
		w.mustRemove(one)
		w.serve(two)
		w.mustRemove(two)
		w.wantEmpty()
	}
}

// The last Service of a share that moves away takes its addresses with it: so no
// Service may join meanwhile, and it waits for no other turn while it holds one.
func TestMovingAwayTakesTheTurnOfTheShare(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	svc := ccmtest.Numbered(1, ccmtest.Together)
	w.serve(svc)
	w.mustEnsure(svc)
	const turn = types.UID("share/edge")
	turns := w.cloud.turns

	end, err := turns.Take(w.ctx(), turn)
	if err != nil {
		t.Fatal(err)
	}
	before := w.cloudLines()
	if _, err := w.ensure(ccmtest.Numbered(1)); !errors.Is(err, simcloud.Locked) {
		t.Errorf("while another Service joins: got %v, want Locked", err)
	}
	w.wantCloud(before...)
	end()

	detached := false
	w.failing = func(operation string, _ int) failure {
		if operation == "DetachFloatingIP" {
			detached = true
			if _, mine := turns.Begin(turn); mine {
				t.Error("another Service can join while the address is taken away")
			}
		}
		return failure{}
	}
	w.mustEnsure(ccmtest.Numbered(1))
	if !detached {
		t.Error("the share's address was not detached: this has shown nothing")
	}
	if _, mine := turns.Begin(turn); !mine {
		t.Error("the turn has not ended")
	}
}
