package ccm

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
)

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
			for _, effect := range []effects{never, before, late} {
				for _, restart := range []bool{false, true} {
					for call := 1; failBorrow(t, c.begin, c.end, c.want, call, effect, restart); call++ {
					}
				}
			}
		})
	}
}

// failBorrow runs the case with one call failing, and reports whether there was such a call.
func failBorrow(t *testing.T, begin, end *v1.Service, want []string, call int, effect effects, restart bool) (happened bool) {
	t.Helper()
	t.Run(fmt.Sprintf("call %d, effect %s, restart %v", call, effect, restart), func(t *testing.T) {
		w := newWorld(t, 0)
		one, two, six := w.reserve("127.77.9.9"), w.reserve("127.77.9.8"), w.reserve("fd77::9")
		if begin != nil {
			w.mustEnsure(begin)
		}
		w.took()
		w.failing = func(operation string, n int) failure {
			if n != call {
				return failure{}
			}
			happened = true
			return effect.failure(operation)
		}
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
		if got := w.floatingIPLines(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("floating IPs %q, want %q", got, want)
		}
		if end != nil {
			w.wantIdle(end)
			w.mustRemove(end)
		}
		w.wantReserved(one, two, six)
	})
	return happened
}

func (w *world) floatingIPLines() (lines []string) {
	for _, ip := range w.state().FloatingIPs {
		lines = append(lines, fmt.Sprintf("%s at %s", ip.ID, ip.AttachedTo.ID))
	}
	return lines
}
