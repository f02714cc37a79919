package ccm

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// reserve makes a floating IP without an owner: what an operator reserves.
func (w *world) reserve(address string) simcloud.FloatingIP {
	w.t.Helper()
	r, err := w.api.CreateFloatingIP(w.ctx(), simcloud.FloatingIPSpec{Name: "reserved", Address: address, Labels: map[string]string{"team": "a"}})
	if err != nil {
		w.t.Fatal(err)
	}
	return r.Resource
}

// wantReserved reports what is left of Services but floating IPs that are as they were reserved.
func (w *world) wantReserved(all ...simcloud.FloatingIP) {
	w.t.Helper()
	state := w.state()
	if diff := cmp.Diff(describeIPs(all), describeIPs(state.FloatingIPs)); diff != "" || len(state.LoadBalancers) > 0 {
		w.t.Errorf("%d load balancers and these floating IPs are left (-want +got):\n%s", len(state.LoadBalancers), diff)
	}
}

func describeIPs(all []simcloud.FloatingIP) (lines []string) {
	for _, ip := range all {
		lines = append(lines, fmt.Sprintf("%s %s %s at %q %v", ip.ID, ip.Name, ip.Address, ip.AttachedTo.ID, ip.Labels))
	}
	return lines
}

func borrow(ids string) func(*v1.Service) { return ccmtest.Annotate(annotation.FloatingIPs, ids) }

// TestReservedFloatingIP: one that is asked for, by address or by id, serves
// while it is asked for, keeps its labels, and is free again at the end.
func TestReservedFloatingIP(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*v1.Service){
		"loadBalancerIP": func(svc *v1.Service) { svc.Spec.LoadBalancerIP = "127.77.9.9" },
		"address":        addressed("127.77.9.9"),
		"id":             borrow("fip-1"),
		"both":           func(svc *v1.Service) { addressed("127.77.9.9")(svc); borrow("fip-1")(svc) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 0)
			ip := w.reserve("127.77.9.9")
			w.wantAddresses(w.mustEnsure(ccmtest.Service(edit)), "127.77.9.9")
			w.wantIdle(ccmtest.Service(edit))
			w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "fip-1 at lb-1")
			labels := map[string]string{"team": "a", label.ServiceUID: "uid-1", label.ServiceName: "default/web", label.Borrowed: "true"}
			if diff := cmp.Diff(labels, w.state().FloatingIPs[0].Labels); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}

			got := w.mustEnsure(ccmtest.Service()).Ingress[0].IP
			if got == ip.Address {
				t.Errorf("the Service still has %s", got)
			}
			w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "fip-1 at ", "fip-2 at lb-1")
			w.wantAddresses(w.mustEnsure(ccmtest.Service(edit)), "127.77.9.9")
			w.mustRemove(ccmtest.Service(edit))
			w.wantReserved(ip)
		})
	}
}

func TestReservedFloatingIPsOfBothFamilies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	four, six := w.reserve("127.77.9.9"), w.reserve("fd77::9")
	w.wantAddresses(w.mustEnsure(ccmtest.Service(ccmtest.Dual, addressed("fd77::9, 127.77.9.9"))), "127.77.9.9", "fd77::9")
	w.wantIdle(ccmtest.Service(ccmtest.Dual, borrow("fip-1,fip-2")))
	w.wantAddresses(w.mustEnsure(ccmtest.Service(ccmtest.Dual, borrow("fip-2"))), "127.77.", "fd77::9")
	w.wantIdle(ccmtest.Service(ccmtest.Dual, borrow("fip-2")))
	w.mustRemove(ccmtest.Service(ccmtest.Dual))
	w.wantReserved(four, six)
}

// TestReservedFloatingIPSurvivesAReplacement: no other Service takes it meanwhile.
func TestReservedFloatingIPSurvivesAReplacement(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	ip, mine := w.reserve("127.77.9.9"), ccmtest.Service(borrow("fip-1"))
	other := ccmtest.Service(borrow("fip-1"), func(svc *v1.Service) { svc.UID, svc.Name = "uid-2", "other" })
	w.mustEnsure(mine)
	if _, err := w.api.DeleteLoadBalancer(w.ctx(), "lb-1"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ensure(other); !errors.Is(err, simcloud.InUse) {
		t.Errorf("the other Service: got %v, want InUse", err)
	}
	w.wantEvent("Warning LoadBalancerRefused in_use (floating_ip/fip-1): 127.77.9.9 is used by the Service default/web")
	w.wantAddresses(w.mustEnsure(mine), "127.77.9.9")
	w.mustRemove(mine)
	w.wantAddresses(w.mustEnsure(other), "127.77.9.9")
	w.mustRemove(other)
	w.wantReserved(ip)
}

// TestNobodysAddressIsStolen: what is in use stays where it is, and the Event says by whom.
func TestNobodysAddressIsStolen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.mustEnsure(ccmtest.Service())
	taken := w.reserve("127.77.9.9")
	if _, err := w.api.AttachFloatingIP(w.ctx(), taken.ID, simcloud.Attachment{Kind: simcloud.KindInstance, ID: "i-1"}); err != nil {
		t.Fatal(err)
	}
	w.reserve("fd77::9")
	w.reserve("127.77.9.8")
	before := describeIPs(w.state().FloatingIPs)
	for _, c := range []struct {
		edit func(*v1.Service)
		want string
	}{
		{borrow("fip-1"), "in_use (floating_ip/fip-1): " + w.state().FloatingIPs[0].Address + " is used by the Service default/web (UID uid-1)"},
		{borrow("fip-2"), "in_use (floating_ip/fip-2): 127.77.9.9 is attached to instance/i-1: detach it, or ask for another"},
		{addressed("127.77.9.9"), "in_use (floating_ip/fip-2): 127.77.9.9 is attached to instance/i-1"},
		{borrow("fip-9"), "invalid (floating_ip/fip-9): annotation service.simcloud.dev/floating-ips: floating IP not found"},
		{borrow("fip-3"), "invalid (floating_ip/fip-3): annotation service.simcloud.dev/floating-ips: fd77::9 is IPv6, and spec.ipFamilies has IPv4 alone"},
		{borrow("fip-2,fip-4"), "invalid (floating_ip/fip-4): annotation service.simcloud.dev/floating-ips: it and fip-2 are both IPv4"},
		{func(svc *v1.Service) { borrow("fip-4")(svc); addressed("127.77.9.7")(svc) }, "invalid (floating_ip/fip-4): annotation service.simcloud.dev/floating-ips: " +
			"it has the address 127.77.9.8, and the Service asks for 127.77.9.7, too"},
		{addressed("192.0.2.1"), "create a floating IP: invalid"},
	} {
		other := ccmtest.Service(c.edit, func(svc *v1.Service) { svc.UID, svc.Name = "uid-2", "other" })
		if _, err := w.ensure(other); err == nil {
			t.Errorf("%s: no error", c.want)
		}
		w.wantEvent("Warning LoadBalancerRefused " + c.want)
		if diff := cmp.Diff(before, describeIPs(w.state().FloatingIPs)); diff != "" {
			t.Errorf("%s: the floating IPs changed (-before +after):\n%s", c.want, diff)
		}
	}
	w.mustRemove(ccmtest.Service(func(svc *v1.Service) { svc.UID = "uid-2" }))
	w.mustRemove(ccmtest.Service())
	if left := w.state(); len(left.LoadBalancers) > 0 || len(left.FloatingIPs) != 3 {
		t.Errorf("left: %v", w.cloudLines())
	}
}

// TestTwoServicesClaimAtOnce: one of them gets it.
func TestTwoServicesClaimAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.reserve("127.77.9.9")
	mine := ccmtest.Service(borrow("fip-1"))
	other := ccmtest.Service(borrow("fip-1"), func(svc *v1.Service) { svc.UID, svc.Name = "uid-2", "other" })
	w.failing = func(operation string, _ int) failure {
		if operation == "UpdateFloatingIP" {
			w.failing = nil
			labels := map[string]string{label.ServiceUID: "uid-2", label.ServiceName: "default/other", label.Borrowed: "true"}
			if _, err := w.api.UpdateFloatingIP(w.ctx(), "fip-1", simcloud.FloatingIPUpdate{Labels: &labels}); err != nil {
				t.Error(err)
			}
		}
		return failure{}
	}
	if _, err := w.ensure(mine); !errors.Is(err, simcloud.Conflict) {
		t.Errorf("got %v, want Conflict", err)
	}
	if _, err := w.ensure(mine); !errors.Is(err, simcloud.InUse) {
		t.Errorf("the second time: got %v, want InUse", err)
	}
	w.wantAddresses(w.mustEnsure(other), "127.77.9.9")
}

// moveFloatingIP attaches fip-1 to an instance, as another client may, after which the Service cannot be ensured.
func (w *world) moveFloatingIP(svc *v1.Service) (to simcloud.Attachment) {
	w.t.Helper()
	to = simcloud.Attachment{Kind: simcloud.KindInstance, ID: "i-1"}
	if _, err := w.api.DetachFloatingIP(w.ctx(), "fip-1"); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.api.AttachFloatingIP(w.ctx(), "fip-1", to); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.ensure(svc); !errors.Is(err, simcloud.InUse) {
		w.t.Errorf("ensure: got %v, want InUse", err)
	}
	return to
}

// TestABorrowedFloatingIPThatSomebodyMoved is theirs: it stays where it is.
func TestABorrowedFloatingIPThatSomebodyMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.reserve("127.77.9.9")
	svc := ccmtest.Service(borrow("fip-1"))
	w.mustEnsure(svc)
	to := w.moveFloatingIP(svc)
	w.mustRemove(svc)
	ip := w.state().FloatingIPs[0]
	if diff := cmp.Diff(map[string]string{"team": "a"}, ip.Labels); diff != "" || ip.AttachedTo != to {
		t.Errorf("the floating IP is at %v, with other labels (-want +got):\n%s", ip.AttachedTo, diff)
	}
}

// TestABorrowedFloatingIPIsMovedMeanwhile: it led to the load balancer when
// it was read, and has led to a resource of another client since.
func TestABorrowedFloatingIPIsMovedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.reserve("127.77.9.9")
	w.mustEnsure(ccmtest.Service(borrow("fip-1")))
	to := simcloud.Attachment{Kind: simcloud.KindInstance, ID: "i-1"}
	w.failing = func(operation string, _ int) failure {
		if operation != "DetachFloatingIP" {
			return failure{}
		}
		w.failing = nil
		if _, err := w.api.DetachFloatingIP(w.ctx(), "fip-1"); err != nil {
			t.Error(err)
		}
		if _, err := w.api.AttachFloatingIP(w.ctx(), "fip-1", to); err != nil {
			t.Error(err)
		}
		return failure{}
	}
	if _, err := w.ensure(ccmtest.Service()); !errors.Is(err, simcloud.Conflict) {
		t.Errorf("got %v, want Conflict", err)
	}
	w.mustEnsure(ccmtest.Service())
	if ip := w.state().FloatingIPs[0]; ip.AttachedTo != to || len(ip.Labels) != 1 {
		t.Errorf("the floating IP is at %v with the labels %v, want it at %v, and its own", ip.AttachedTo, ip.Labels, to)
	}
}

// TestAnAttachThatIsLate finds a floating IP that was given back, and leaves it.
func TestAnAttachThatIsLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	ip := w.reserve("127.77.9.9")
	var attach func()
	w.failing = func(operation string, _ int) failure {
		if operation != "AttachFloatingIP" {
			return failure{}
		}
		return failure{err: lost(), late: true}
	}
	if _, err := w.ensure(ccmtest.Service(borrow("fip-1"))); !errors.Is(err, simcloud.Unavailable) {
		t.Errorf("got %v, want Unavailable", err)
	}
	w.failing, w.late, attach = nil, nil, w.late
	w.mustEnsure(ccmtest.Service())
	attach()
	if got := w.state().FloatingIPs[0]; got.AttachedTo != ip.AttachedTo {
		t.Errorf("it is at %v, and has no owner", got.AttachedTo)
	}
}

// TestInternalAddress: the network gives the addresses that are asked for, and another one replaces the load balancer.
func TestInternalAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.intoNetwork("10.9.0.0/24", "fd09::/64")
	internal := ccmtest.Annotate(annotation.Internal, "true")
	at := func(address string) *v1.Service {
		return ccmtest.Service(internal, ccmtest.Dual, func(svc *v1.Service) { svc.Spec.LoadBalancerIP = address })
	}
	w.wantAddresses(w.mustEnsure(at("10.9.0.77")), "10.9.0.77", "fd09:")
	w.wantIdle(at("10.9.0.77"))
	w.wantIdle(at("")) // without a wish the present addresses are accepted
	w.wantAddresses(w.mustEnsure(ccmtest.Service(internal, ccmtest.Dual, addressed("10.9.0.78,fd09::78"))), "10.9.0.78", "fd09::78")
	w.wantEvent("Normal ReplacingLoadBalancer Load balancer lb-1 is internal and is replaced, because the Service asks for internal at 10.9.0.78 and fd09::78")

	other := at("10.9.0.78")
	other.UID = "uid-2"
	if _, err := w.ensure(other); !errors.Is(err, simcloud.AlreadyExists) {
		t.Errorf("a taken address: got %v, want AlreadyExists", err)
	}
	w.wantEvent("Warning LoadBalancerRefused create the load balancer: already_exists")
	other.Spec.LoadBalancerIP = "10.77.0.1"
	if _, err := w.ensure(other); !errors.Is(err, simcloud.Invalid) {
		t.Errorf("an address of no network: got %v, want Invalid", err)
	}
	w.mustRemove(at(""))
	w.wantEmpty()
}

// TestAClaimThatMayStillTakeEffectIsWaitedFor: or a floating IP would be lent
// to a Service that is gone.
func TestAClaimThatMayStillTakeEffectIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, lands := range []bool{true, false} {
		w := newWorld(t, 0)
		ip, svc := w.reserve("127.77.9.9"), ccmtest.Service(borrow("fip-1"))
		for _, answer := range []error{lost(), simcloud.Errorf(simcloud.RateLimited, "", "too many")} { // the second proves nothing about the first
			w.failing = func(operation string, _ int) failure {
				if operation != "UpdateFloatingIP" {
					return failure{}
				}
				return failure{err: answer}
			}
			if _, err := w.ensure(svc); !errors.Is(err, answer) {
				t.Errorf("got %v, want %v", err, answer)
			}
		}
		w.failing = nil
		if err := w.remove(svc); !errors.Is(err, simcloud.Locked) {
			t.Errorf("while the claim may take effect: got %v, want a wait", err)
		}
		if lands {
			labels := label.With(ip.Labels, label.OfBorrower(label.OfService(ccmtest.Cluster, svc)))
			if _, err := w.api.UpdateFloatingIP(w.ctx(), ip.ID, simcloud.FloatingIPUpdate{Labels: &labels}, simcloud.IfVersion(ip.Version)); err != nil {
				t.Fatal(err)
			}
		} else {
			w.now = w.now.Add(call.UnsettledFor)
		}
		w.mustRemove(svc)
		w.wantReserved(ip)
	}
}

// TestAShareBorrows: the floating IP is the share's, and is given back by the last of it.
func TestAShareBorrows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	ip := w.reserve("127.77.9.9")
	one, two := ccmtest.Numbered(1, ccmtest.Together, borrow("fip-1")), ccmtest.Numbered(2, ccmtest.Together, borrow("fip-1"))
	w.serve(one, two)
	for _, svc := range []*v1.Service{one, two} {
		w.wantAddresses(w.mustEnsure(svc), "127.77.9.9")
		w.wantIdle(svc)
	}
	stranger := ccmtest.Service(borrow("fip-1"))
	if _, err := w.ensure(stranger); !errors.Is(err, simcloud.InUse) {
		t.Errorf("one outside of the share: got %v, want InUse", err)
	}
	w.wantEvent("Warning LoadBalancerRefused in_use (floating_ip/fip-1): 127.77.9.9 is used by the Service share/")
	w.mustRemove(stranger)
	w.mustRemove(one)
	w.serve(two)
	w.wantIdle(two)
	w.mustRemove(two)
	w.wantReserved(ip)
}
