package ccm

import (
	"errors"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

func (w *world) hour() {
	w.t.Helper()
	if _, err := w.api.AdvanceClock(w.ctx(), simcloud.Duration(time.Hour)); err != nil {
		w.t.Fatal(err)
	}
}

// untilDone runs a pass of the controller and lets an hour pass, as often as
// it takes, and returns how often that was.
func (w *world) untilDone(pass func() error, wait func(error) bool) int {
	w.t.Helper()
	for n := range 20 {
		err := pass()
		if err == nil {
			return n
		}
		if !wait(err) {
			w.t.Fatalf("pass %d: %v", n, err)
		}
		w.took()
		if again := pass(); again == nil || len(writes(w.took())) > 0 {
			w.t.Fatalf("pass %d, again while the cloud is busy: %v", n, again)
		}
		w.hour()
	}
	w.t.Fatal("it is never done")
	return 0
}

func isRetry(err error) bool {
	var retry *api.RetryError
	return errors.As(err, &retry)
}

// The status comes when the load balancer is active, there is never a second
// one, and nothing is written while the cloud is at work.
func TestASlowCloudIsWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWorldIn(t, simtest.New(t, simtest.Slow(time.Hour), simtest.ManualClock()), 2)
	w.hour()
	svc := ccmtest.Service()
	ensure := func(svc *v1.Service) func() error {
		return func() error { _, err := w.ensure(svc); return err }
	}
	if n := w.untilDone(ensure(svc), isRetry); n != 1 {
		t.Errorf("creating took %d hours, want 1", n)
	}
	w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-1 at lb-1")
	w.wantIdle(svc)

	svc = ccmtest.Service(ccmtest.Ports(ccmtest.Port("TCP", 443, 30443)))
	w.untilDone(ensure(svc), isRetry)
	w.wantCloud("lb-1 active public round_robin", "tcp-443 to 30443, check tcp 30443", "target i-1", "target i-2", "fip-1 at lb-1")

	svc = ccmtest.Service(ccmtest.Annotate(annotation.Internal, "true"))
	w.untilDone(ensure(svc), isRetry)
	w.wantCloud("lb-2 active internal round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2")

	w.untilDone(ensure(ccmtest.Service()), isRetry)
	w.untilDone(func() error { return w.remove(ccmtest.Service()) }, func(err error) bool {
		return errors.Is(err, simcloud.Locked) && !isRetry(err)
	})
	w.wantEmpty()
}

// Where others are served, too, a slow cloud is waited for in the same way.
func TestASlowCloudIsWaitedForInAJoinedPlace(t *testing.T) {
	t.Parallel()
	w := newWorldIn(t, simtest.New(t, simtest.ManualClock()), 2)
	w.strangersLB(simcloud.SchemePublic)
	slow := simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Hour)}
	if _, err := w.api.UpdateConfig(w.ctx(), simcloud.ConfigUpdate{Progression: &slow}); err != nil {
		t.Fatal(err)
	}
	adopted, one, two := ccmtest.Numbered(1, ccmtest.Adopting("lb-1")), ccmtest.Numbered(2, ccmtest.Together), ccmtest.Numbered(3, ccmtest.Together)
	w.serve(adopted, one, two)
	for _, svc := range []*v1.Service{adopted, one, two} {
		w.untilDone(func() error { _, err := w.ensure(svc); return err }, isRetry)
		w.wantIdle(svc)
	}
	w.wantCloud("lb-1 active public least_connections", "tcp-22 to 22", "tcp-8001 to 30001, check tcp 30001", "target i-3", "target i-1", "target i-2",
		"lb-2 active public round_robin", "tcp-8002 to 30002, check tcp 30002", "tcp-8003 to 30003, check tcp 30003", "target i-1", "target i-2",
		"fip-1 at lb-1", "fip-2 at lb-2")
	for _, svc := range []*v1.Service{one, adopted, two} {
		w.untilDone(func() error { return w.remove(svc) }, func(err error) bool {
			return errors.Is(err, simcloud.Locked) && !isRetry(err)
		})
	}
	w.hour()
	w.wantCloud("lb-1 active public least_connections", "tcp-22 to 22", "target i-3", "fip-1 at lb-1")
}
