package ccm

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
)

// TestEveryCallMayFail lets each call of a run fail in turn, before the cloud
// did it and after, in the same process and with a new one that knows nothing,
// and then runs on as the controller would: the end is always the same, with
// one load balancer and nothing left over.
func TestEveryCallMayFail(t *testing.T) {
	t.Parallel()
	changed := service(local, annotation(AnnotationAlgorithm, "least_connections"), ports(port("TCP", 443, 30443), port("UDP", 53, 30053)))
	for _, c := range []struct {
		name  string
		begin *v1.Service // what is there before
		end   *v1.Service // nil: it is removed
		want  []string
	}{
		{"create", nil, service(), []string{
			"lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-1 at lb-1",
		}},
		{"create internal", nil, service(annotation(AnnotationInternal, "true")), []string{
			"lb-1 active internal round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2",
		}},
		{"update", service(), changed, []string{
			"lb-1 active public least_connections", "udp-53 to 30053, check http 31000/healthz",
			"tcp-443 to 30443, check http 31000/healthz", "target i-1", "target i-2", "fip-1 at lb-1",
		}},
		{"make internal", service(), service(annotation(AnnotationInternal, "true")), []string{
			"lb-2 active internal round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2",
		}},
		{"make public", service(annotation(AnnotationInternal, "true")), service(), []string{
			"lb-2 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-1 at lb-2",
		}},
		{"other address", service(), service(func(svc *v1.Service) { svc.Spec.LoadBalancerIP = "127.77.9.9" }), []string{
			"lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-2 at lb-1",
		}},
		{"delete", service(), nil, nil},
		{"delete internal", service(annotation(AnnotationInternal, "true")), nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, commit := range []bool{false, true} {
				for _, restart := range []bool{false, true} {
					for call := 1; failCall(t, c.begin, c.end, c.want, call, commit, restart); call++ {
					}
				}
			}
		})
	}
}

// failCall runs the case with one call failing, and reports whether there was such a call.
func failCall(t *testing.T, begin, end *v1.Service, want []string, call int, commit, restart bool) (happened bool) {
	t.Helper()
	t.Run(fmt.Sprintf("call %d, commit %v, restart %v", call, commit, restart), func(t *testing.T) {
		w := newWorld(t, 2)
		if begin != nil {
			w.mustEnsure(begin)
		}
		w.took()
		w.failing = func(_ string, n int) failure {
			if n != call {
				return failure{}
			}
			happened = true
			return failure{err: lost(), commit: commit}
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
		w.wantCloud(append([]string{}, want...)...)
		if end != nil {
			w.wantIdle(end)
			w.mustRemove(end)
		}
		w.wantEmpty()
	})
	return happened
}
