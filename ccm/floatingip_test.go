package ccm

import (
	"errors"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestAnAddressOfAnEarlierVersionIsNotTold: a create that had no answer is
// asked for again as it was, and what it makes goes when the Service asks for
// another address by now.
func TestAnAddressOfAnEarlierVersionIsNotTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.failing = func(operation string, _ int) failure {
		if operation != "CreateFloatingIP" {
			return failure{}
		}
		return failure{err: lost()}
	}
	if _, err := w.ensure(ccmtest.Service(addressed("127.77.9.9"))); err == nil {
		t.Error("the answer is lost, and there is no error")
	}
	w.failing = nil
	now := ccmtest.Service(addressed("127.77.9.8"))
	if status, err := w.ensure(now); !errors.Is(err, simcloud.Locked) {
		t.Errorf("got %v, %v, want a wait", status, err)
	}
	w.wantAddresses(w.mustEnsure(now), "127.77.9.8")
	w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "fip-2 at lb-1")
	w.mustRemove(now)
	w.wantEmpty()
}

// TestAddressesThatSomebodyAddedStay: a floating IP that is not the Service's
// may lead to its load balancer, and is not told.
func TestAddressesThatSomebodyAddedStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	before := w.mustEnsure(ccmtest.Service())
	ip := w.reserve("127.77.9.9")
	to := simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: "lb-1"}
	if _, err := w.api.AttachFloatingIP(w.ctx(), ip.ID, to); err != nil {
		t.Fatal(err)
	}
	w.wantIdle(ccmtest.Service())
	w.wantAddresses(w.mustEnsure(ccmtest.Service()), before.Ingress[0].IP)
	w.mustEnsure(ccmtest.Service(ccmtest.Dual))
	w.wantIdle(ccmtest.Service(ccmtest.Dual))
	w.wantAddresses(w.mustEnsure(ccmtest.Service(ccmtest.Families(v1.IPv4Protocol))), before.Ingress[0].IP)
	if got := w.state().FloatingIPs[1].AttachedTo; got != to {
		t.Errorf("the floating IP is at %v, want %v", got, to)
	}
	w.mustRemove(ccmtest.Service())
	w.wantReserved(ip)
}

// TestFamiliesAreMadeApart: what is not known of the create of one family does
// not stand in for the other.
func TestFamiliesAreMadeApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.reserve("127.77.9.9")
	w.failing = func(operation string, _ int) failure {
		if operation != "CreateFloatingIP" {
			return failure{}
		}
		return failure{err: lost()}
	}
	if _, err := w.ensure(ccmtest.Service(ccmtest.Dual, borrow("fip-1"))); err == nil {
		t.Error("the answer for the second family is lost, and there is no error")
	}
	w.failing = nil
	w.wantAddresses(w.mustEnsure(ccmtest.Service(ccmtest.Dual)), "127.77.", "fd77:")
}

// TestASecondFamilyMayStillAppear: that the first is there does not settle it.
func TestASecondFamilyMayStillAppear(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.failing = func(operation string, _ int) failure {
		if operation != "CreateFloatingIP" || len(w.state().FloatingIPs) == 0 {
			return failure{}
		}
		return failure{err: lost()}
	}
	if _, err := w.ensure(ccmtest.Service(ccmtest.Dual)); err == nil {
		t.Error("the answer for the second family is lost, and there is no error")
	}
	w.failing = nil
	if err := w.remove(ccmtest.Service(ccmtest.Dual)); !errors.Is(err, simcloud.Locked) {
		t.Errorf("while the second may appear: got %v, want a wait", err)
	}
	w.now = w.now.Add(call.UnsettledFor)
	w.mustRemove(ccmtest.Service(ccmtest.Dual))
	w.wantEmpty()
}
