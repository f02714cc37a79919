package ccm

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// journey is what becomes of a Service among others that stay as they are.
type journey struct {
	name   string
	others []*v1.Service // are served all the time
	begin  *v1.Service   // is served before; nil: it is new
	end    *v1.Service   // is served in the end; nil: it goes
}

func journeys() []journey {
	own, adopted, shared := ccmtest.Numbered(1), ccmtest.Numbered(1, ccmtest.Adopting("lb-1")), ccmtest.Numbered(1, ccmtest.Together)
	partner, tenant := ccmtest.Numbered(2, ccmtest.Together), ccmtest.Numbered(2, ccmtest.Adopting("lb-1"))
	changed := ccmtest.Numbered(1, ccmtest.Together, ccmtest.Local, ccmtest.Ports(ccmtest.Port("TCP", 443, 30443)))
	return []journey{
		{"adopt beside another", []*v1.Service{tenant}, nil, adopted},
		{"give back beside another", []*v1.Service{tenant}, adopted, nil},
		{"found a share", nil, nil, shared},
		{"join a share", []*v1.Service{partner}, nil, shared},
		{"change in a share", []*v1.Service{partner}, shared, changed},
		{"leave a share", []*v1.Service{partner}, shared, nil},
		{"end a share", nil, shared, nil},
		{"own to adopted", nil, own, adopted},
		{"own to shared", []*v1.Service{partner}, own, shared},
		{"adopted to own", []*v1.Service{tenant}, adopted, own},
		{"shared to own", nil, shared, own},
	}
}

// TestEveryCallInAJoinedPlaceMayFail is TestEveryCallMayFail where others are
// served, too: the end is what it would have been, nothing of other Services has
// changed, and nothing is left over once the Services go.
func TestEveryCallInAJoinedPlaceMayFail(t *testing.T) {
	t.Parallel()
	for _, j := range journeys() {
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			want := j.travel(t, 0, never, false)
			for _, effect := range []effects{never, before, late} {
				for _, restart := range []bool{false, true} {
					if effect == late && restart { // see TestEveryCallBeforeGoingMayFail
						continue
					}
					for call := 1; ; call++ {
						failed := false
						t.Run(fmt.Sprintf("call %d, effect %s, restart %v", call, effect, restart), func(t *testing.T) {
							got := j.travel(t, call, effect, restart)
							failed = got != nil
							if diff := cmp.Diff(want, got); failed && diff != "" {
								t.Errorf("the cloud (-without failure +with):\n%s", diff)
							}
						})
						if !failed {
							break
						}
					}
				}
			}
		})
	}
}

// journeyWorld has a load balancer of a stranger, and the Services that are there before.
func (j journey) world(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, 2)
	w.strangersLB(simcloud.SchemePublic)
	j.know(w)
	for _, svc := range j.others {
		w.mustEnsure(svc)
	}
	w.begin(j.begin)
	return w
}

func (j journey) know(w *world) {
	w.t.Helper()
	all := j.others
	if svc := j.service(); svc != nil {
		all = append([]*v1.Service{svc}, all...)
	}
	w.serve(all...)
}

func (j journey) service() *v1.Service {
	if j.end != nil {
		return j.end
	}
	return j.begin
}

// travel runs the journey with one call failing, 0 for none, and returns what
// the cloud has then. It returns nil when there was no such call.
func (j journey) travel(t *testing.T, call int, effect effects, restart bool) (state []string) {
	t.Helper()
	w := j.world(t)
	happened := call == 0
	w.failAt(call, effect.ofAnyWrite, &happened)
	run := func() error {
		if j.end == nil {
			return w.remove(j.begin)
		}
		_, err := w.ensure(j.end)
		return err
	}
	err := run()
	if call > 0 && happened && err == nil {
		t.Error("a call failed, and no error came of it")
	}
	w.failing = nil
	if restart {
		w.restart(w.cloud.config)
		j.know(w)
	}
	w.persist(run)
	if !happened {
		return nil
	}
	state = w.cloudLines()
	for _, svc := range append([]*v1.Service{j.end}, j.others...) {
		if svc != nil {
			w.wantIdle(svc)
			w.persist(func() error { return w.remove(svc) })
		}
	}
	j.wantStranger(w)
	return state
}

// ofAnyWrite is failure, but every write may be late, not only creates.
func (e effects) ofAnyWrite(operation string) failure {
	f := e.failure(operation)
	endpoint, _ := simcloud.EndpointOf(operation)
	f.late = e == late && endpoint.Write()
	return f
}

// wantStranger reports what is left beside what the stranger has.
func (j journey) wantStranger(w *world) {
	w.t.Helper()
	w.wantCloud("lb-1 active public least_connections", "tcp-22 to 22", "target i-3", "fip-1 at lb-1")
	if diff := cmp.Diff(map[string]string{"team": "net"}, w.balancer().Labels); diff != "" {
		w.t.Errorf("the stranger's labels (-want +got):\n%s", diff)
	}
}

// persist runs a pass as often as the controller would: again when it has to
// wait, or when another client was faster.
func (w *world) persist(pass func() error) {
	w.t.Helper()
	for range 4 {
		err := pass()
		switch {
		case err == nil:
			return
		case errors.Is(err, simcloud.Locked):
			w.now = w.now.Add(call.UnsettledFor)
		case !errors.Is(err, simcloud.Conflict) && !errors.Is(err, simcloud.AlreadyExists):
			w.t.Fatal(err)
		}
	}
	w.t.Fatalf("it is never done: %v", pass())
}

// TestEveryCallBeforeGoingMayFail removes the Service after a call of its way
// into a place has failed, in a new process too, which knows nothing but that
// the Service is older than itself. Nothing is left, however late the cloud was.
func TestEveryCallBeforeGoingMayFail(t *testing.T) {
	t.Parallel()
	for _, j := range append(journeys(), journey{"create", nil, nil, ccmtest.Numbered(1)}) {
		if j.end == nil {
			continue
		}
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			for _, effect := range []effects{never, before, late} {
				for _, restart := range []bool{false, true} {
					for call := 1; j.turnBack(t, call, effect, restart); call++ {
					}
				}
			}
		})
	}
}

func (j journey) turnBack(t *testing.T, call int, effect effects, restart bool) (happened bool) {
	t.Helper()
	t.Run(fmt.Sprintf("call %d, effect %s, restart %v", call, effect, restart), func(t *testing.T) {
		w := j.world(t)
		w.failAt(call, effect.ofAnyWrite, &happened)
		if _, err := w.ensure(j.end); happened && err == nil {
			t.Error("a call failed, and no error came of it")
		}
		w.failing = nil
		svc := j.end.DeepCopy()
		svc.CreationTimestamp = metav1.NewTime(w.now.Add(-time.Minute))
		if restart {
			w.restart(w.cloud.config)
			j.know(w)
		}
		w.persist(func() error { return w.remove(svc) })
		for _, other := range j.others {
			w.wantIdle(other)
			w.persist(func() error { return w.remove(other) })
		}
		j.wantStranger(w)
	})
	return happened
}
