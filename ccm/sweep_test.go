package ccm

import (
	"errors"
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	callpkg "github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// effects is when the cloud does what was asked in a call that fails.
type effects string

const (
	never  effects = "never"
	before effects = "before the failure"
	late   effects = "after the next call"
)

// failure is how such a call fails. Only creates are late: until then nothing
// that can be listed tells of them.
func (e effects) failure(operation string) failure {
	create := operation == "CreateLoadBalancer" || operation == "CreateFloatingIP"
	return failure{err: lost(), commit: e == before, late: e == late && create}
}

// TestEveryCallMayFail lets each call of a run fail in turn, before the cloud
// did it, after, and while it still will, in the same process and with a new one that knows nothing,
// and then runs on as the controller would: the end is always the same, with
// one load balancer and nothing left over.
func TestEveryCallMayFail(t *testing.T) {
	t.Parallel()
	changed := ccmtest.Service(ccmtest.Local, ccmtest.Annotate(annotation.Algorithm, "least_connections"), ccmtest.Ports(ccmtest.Port("TCP", 443, 30443), ccmtest.Port("UDP", 53, 30053)))
	for _, c := range []struct {
		name  string
		begin *v1.Service // what is there before
		end   *v1.Service // nil: it is removed
		want  []string
	}{
		{"create", nil, ccmtest.Service(), []string{
			"lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-1 at lb-1",
		}},
		{"create internal", nil, ccmtest.Service(ccmtest.Annotate(annotation.Internal, "true")), []string{
			"lb-1 active internal round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2",
		}},
		{"update", ccmtest.Service(), changed, []string{
			"lb-1 active public least_connections", "udp-53 to 30053, check http 31000/healthz",
			"tcp-443 to 30443, check http 31000/healthz", "target i-1", "target i-2", "fip-1 at lb-1",
		}},
		{"make internal", ccmtest.Service(), ccmtest.Service(ccmtest.Annotate(annotation.Internal, "true")), []string{
			"lb-2 active internal round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2",
		}},
		{"make public", ccmtest.Service(ccmtest.Annotate(annotation.Internal, "true")), ccmtest.Service(), []string{
			"lb-2 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-1 at lb-2",
		}},
		{"other address", ccmtest.Service(), ccmtest.Service(func(svc *v1.Service) { svc.Spec.LoadBalancerIP = "127.77.9.9" }), []string{
			"lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-2 at lb-1",
		}},
		{"create dual", nil, ccmtest.Service(ccmtest.Dual), []string{
			"lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-1 at lb-1", "fip-2 at lb-1",
		}},
		{"second family", ccmtest.Service(), ccmtest.Service(ccmtest.Dual), []string{
			"lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-1 at lb-1", "fip-2 at lb-1",
		}},
		{"no second family", ccmtest.Service(ccmtest.Dual), ccmtest.Service(), []string{
			"lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-1 at lb-1",
		}},
		{"delete dual", ccmtest.Service(ccmtest.Dual), nil, nil},
		{"delete", ccmtest.Service(), nil, nil},
		{"delete internal", ccmtest.Service(ccmtest.Annotate(annotation.Internal, "true")), nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			eachCallFails(t, c.begin, c.end, func(t *testing.T) (w *world, changed, removed func()) {
				w = newWorld(t, 2)
				return w, func() { w.wantCloud(append([]string{}, c.want...)...) }, w.wantEmpty
			})
		})
	}
}

// eachCallFails runs a change with each of its calls failing in turn. Open makes a world; changed checks it after the
// change, removed after the end of the Service.
func eachCallFails(t *testing.T, begin, end *v1.Service, open func(t *testing.T) (w *world, changed, removed func())) {
	t.Helper()
	for _, effect := range []effects{never, before, late} {
		for _, restart := range []bool{false, true} {
			for call := 1; failCall(t, begin, end, open, call, effect, restart); call++ {
			}
		}
	}
}

// failCall runs the change with one call failing, and reports whether there was such a call.
func failCall(t *testing.T, begin, end *v1.Service, open func(t *testing.T) (w *world, changed, removed func()), call int, effect effects, restart bool) (happened bool) {
	t.Helper()
	t.Run(fmt.Sprintf("call %d, effect %s, restart %v", call, effect, restart), func(t *testing.T) {
		w, changed, removed := open(t)
		w.begin(begin)
		w.failAt(call, effect.failure, &happened)
		run := func() error {
			if end == nil {
				return w.remove(begin)
			}
			_, err := w.ensure(end)
			return err
		}
		if err := run(); happened && err == nil {
			t.Error("a call failed, and no error came of it")
		}
		w.failing = nil
		if restart {
			w.restart(w.cloud.config)
		}
		if err := run(); err != nil {
			t.Fatalf("the second run: %v", err)
		}
		changed()
		if end != nil {
			w.wantIdle(end)
			w.mustRemove(end)
		}
		removed()
	})
	return happened
}

// begin makes a Service, unless it is nil.
func (w *world) begin(svc *v1.Service) {
	w.t.Helper()
	if svc != nil {
		w.mustEnsure(svc)
	}
	w.took()
}

// failAt has one call fail, and notes that there was such a call.
func (w *world) failAt(call int, fail func(operation string) failure, happened *bool) {
	w.failing = func(operation string, n int) failure {
		if n != call {
			return failure{}
		}
		*happened = true
		return fail(operation)
	}
}

// TestEveryCallBeforeADeletionMayFail removes the Service after a call of its
// creation has failed: it waits for what may still appear, and nothing is left.
func TestEveryCallBeforeADeletionMayFail(t *testing.T) {
	t.Parallel()
	asked := ccmtest.Service(func(svc *v1.Service) { svc.Spec.LoadBalancerIP = "127.77.9.9" })
	for name, c := range map[string]struct{ begin, end *v1.Service }{
		"create": {nil, ccmtest.Service()}, "make public": {ccmtest.Service(ccmtest.Annotate(annotation.Internal, "true")), ccmtest.Service()}, "other address": {ccmtest.Service(), asked},
		"create dual": {nil, ccmtest.Service(ccmtest.Dual)}, "second family": {ccmtest.Service(), ccmtest.Service(ccmtest.Dual)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, effect := range []effects{never, before, late} {
				for call := 1; failThenRemove(t, c.begin, c.end, call, effect); call++ {
				}
			}
		})
	}
}

// failThenRemove runs the case with one call failing, and reports whether there was such a call.
func failThenRemove(t *testing.T, begin, end *v1.Service, call int, effect effects) (happened bool) {
	t.Helper()
	t.Run(fmt.Sprintf("call %d, effect %s", call, effect), func(t *testing.T) {
		w := newWorld(t, 2)
		w.begin(begin)
		w.failAt(call, effect.failure, &happened)
		_, err := w.ensure(end)
		if happened && err == nil {
			t.Error("a call failed, and no error came of it")
		}
		w.failing = nil
		if err := w.remove(end); err != nil {
			if !errors.Is(err, simcloud.Locked) {
				t.Errorf("while something may appear: got %v, want a wait", err)
			}
			w.now = w.now.Add(callpkg.UnsettledFor)
			w.mustRemove(end)
		}
		w.wantEmpty()
	})
	return happened
}

// TestEveryCallOfABorrowMayFail lets each call fail in turn while a Service
// borrows floating IPs, changes to others or gives them back: the end is always
// the same, and the floating IPs are free at last, as they were reserved.
func TestEveryCallOfABorrowMayFail(t *testing.T) {
	t.Parallel()
	asked := func(svc *v1.Service) { svc.Spec.LoadBalancerIP = "127.77.9.9" }
	for _, c := range []struct {
		name       string
		begin, end *v1.Service // nil: there is none
		want       []string    // floating IPs: fip-1, fip-2 and fip-3 are reserved
	}{
		{"borrow", nil, ccmtest.Service(borrow("fip-1")), []string{"fip-1 at lb-1", "fip-2 at ", "fip-3 at "}},
		{"by address", ccmtest.Service(), ccmtest.Service(asked), []string{"fip-1 at lb-1", "fip-2 at ", "fip-3 at "}},
		{"both families", ccmtest.Service(), ccmtest.Service(ccmtest.Dual, borrow("fip-2,fip-3")), []string{"fip-1 at ", "fip-2 at lb-1", "fip-3 at lb-1"}},
		{"another", ccmtest.Service(borrow("fip-1")), ccmtest.Service(borrow("fip-2")), []string{"fip-1 at ", "fip-2 at lb-1", "fip-3 at "}},
		{"none", ccmtest.Service(ccmtest.Dual, borrow("fip-1,fip-3")), ccmtest.Service(), []string{"fip-1 at ", "fip-2 at ", "fip-3 at ", "fip-4 at lb-1"}},
		{"internal", ccmtest.Service(borrow("fip-1")), ccmtest.Service(ccmtest.Annotate(annotation.Internal, "true")), []string{"fip-1 at ", "fip-2 at ", "fip-3 at "}},
		{"delete", ccmtest.Service(ccmtest.Dual, borrow("fip-1,fip-3")), nil, []string{"fip-1 at ", "fip-2 at ", "fip-3 at "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			eachCallFails(t, c.begin, c.end, func(t *testing.T) (w *world, changed, removed func()) {
				w = newWorld(t, 0)
				one, two, six := w.reserve("127.77.9.9"), w.reserve("127.77.9.8"), w.reserve("fd77::9")
				return w, func() {
					if got := w.floatingIPLines(); fmt.Sprint(got) != fmt.Sprint(c.want) {
						t.Errorf("floating IPs %q, want %q", got, c.want)
					}
				}, func() { w.wantReserved(one, two, six) }
			})
		})
	}
}

func (w *world) floatingIPLines() (lines []string) {
	for _, ip := range w.state().FloatingIPs {
		lines = append(lines, fmt.Sprintf("%s at %s", ip.ID, ip.AttachedTo.ID))
	}
	return lines
}
