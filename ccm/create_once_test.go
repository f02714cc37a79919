package ccm

import (
	"context"
	"errors"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/ccm/lb"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// lyingCloud remembers the answer to an idempotency key for ever, and can hide
// what it has. The simulator does neither.
type lyingCloud struct {
	lb.API
	answers map[string]simcloud.Result[simcloud.LoadBalancer]
	hidden  bool // lists and reads show no load balancer
}

func lie(w *world) *lyingCloud {
	l := &lyingCloud{API: w.cloud.api, answers: map[string]simcloud.Result[simcloud.LoadBalancer]{}}
	w.balance(l)
	return l
}

func (l *lyingCloud) CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	key := simcloud.Options(opts).IdempotencyKey
	if answer, known := l.answers[key]; known && key != "" {
		return answer, nil
	}
	answer, err := l.API.CreateLoadBalancer(ctx, spec, opts...)
	if err == nil {
		l.answers[key] = answer
	}
	return answer, err
}

func (l *lyingCloud) ListLoadBalancers(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error) {
	page, err := l.API.ListLoadBalancers(ctx, opts)
	if l.hidden {
		page.Items = nil
	}
	return page, err
}

func (l *lyingCloud) GetLoadBalancer(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error) {
	if l.hidden {
		return simcloud.LoadBalancer{}, simcloud.Errorf(simcloud.NotFound, "", "hidden")
	}
	return l.API.GetLoadBalancer(ctx, id)
}

// A Service that was served, then not, then again has the same UID and spec,
// and so the same key: the answer of then is of a load balancer that is gone.
func TestAnAnswerAboutWhatIsGoneIsNotTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	lie(w)
	svc := ccmtest.Service()
	for _, id := range []simcloud.ID{"lb-1", "lb-2", "lb-3"} {
		w.mustEnsure(svc)
		if got := w.balancer().ID; got != id {
			t.Errorf("got %s, want %s", got, id)
		}
		w.wantIdle(svc)
		if id == "lb-2" {
			if _, err := w.api.DeleteLoadBalancer(w.ctx(), id); err != nil { // behind the provider's back
				t.Fatal(err)
			}
			continue
		}
		w.mustRemove(svc)
	}
	w.wantEmpty()
}

// loseCreate creates a load balancer whose answer is lost.
func (w *world) loseCreate(svc *v1.Service) {
	w.t.Helper()
	w.failing = func(operation string, n int) failure {
		if operation == "CreateLoadBalancer" && n < 6 {
			return failure{err: lost(), commit: true}
		}
		return failure{}
	}
	if _, err := w.ensure(svc); err == nil {
		w.t.Fatal("the lost answer is no error")
	}
}

// The answer was lost, the nodes have changed, and the cloud does not show yet
// what it made: there must be no second one all the same.
func TestALostAnswerAndAChangeMakeOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	l := lie(w)
	svc, all := ccmtest.Service(), w.nodes
	w.nodes = all[:1]
	w.loseCreate(svc)
	w.nodes, l.hidden = all, true
	if _, err := w.ensure(svc); !errors.Is(err, simcloud.Locked) {
		t.Errorf("while it is hidden: got %v, want a wait", err)
	}
	l.hidden = false
	w.mustEnsure(svc)
	w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-1 at lb-1")
	w.wantIdle(svc)
	w.mustRemove(svc)
	w.wantEmpty()
}

// The answer was lost, and one of the targets is gone since: a create with it can never take effect, and is not waited for.
func TestACreateWithATargetThatIsGoneIsSettled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	svc := ccmtest.Service()
	w.failing = func(operation string, n int) failure {
		if operation == "CreateLoadBalancer" && n < 6 {
			return failure{err: lost()}
		}
		return failure{}
	}
	if _, err := w.ensure(svc); err == nil {
		t.Fatal("the lost answer is no error")
	}
	w.failing = nil
	if _, err := w.api.DeleteInstance(w.ctx(), "i-2"); err != nil {
		t.Fatal(err)
	}
	w.nodes = w.nodes[:1]
	w.mustEnsure(svc)
	w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "fip-1 at lb-1")
}

// What never appears is not waited for longer than a minute.
func TestAnUnsettledCreateIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	lie(w)
	svc := ccmtest.Service()
	w.loseCreate(svc)
	if _, err := w.api.DeleteLoadBalancer(w.ctx(), "lb-1"); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(call.UnsettledFor)
	w.mustEnsure(svc)
	w.wantCloud("lb-2 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "fip-1 at lb-2")
}

// The Service goes before the create has taken effect: its finalizer stays for
// as long as something may appear, and no longer.
func TestADeletionWaitsForAnUnsettledCreate(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"CreateLoadBalancer", "CreateFloatingIP"} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			svc := ccmtest.Service()
			w.failing = func(op string, _ int) failure {
				if op == operation {
					return failure{err: simcloud.Errorf(simcloud.Timeout, "", "no answer")}
				}
				return failure{}
			}
			for range 2 { // the time counts from the last try
				if _, err := w.ensure(svc); err == nil {
					t.Fatal("the lost answer is no error")
				}
				w.now = w.now.Add(call.UnsettledFor - 1)
			}
			for range 2 { // the first pass removes what is there
				_, exists, err := w.cloud.balancers.GetLoadBalancer(w.ctx(), ccmtest.Cluster, svc)
				if !exists || err != nil {
					t.Errorf("GetLoadBalancer: %v, %v; want that something may be there", exists, err)
				}
				if err := w.cloud.balancers.EnsureLoadBalancerDeleted(w.ctx(), ccmtest.Cluster, svc); !errors.Is(err, simcloud.Locked) {
					t.Errorf("EnsureLoadBalancerDeleted: %v, want a wait", err)
				}
			}
			w.now = w.now.Add(1)
			if _, exists, err := w.cloud.balancers.GetLoadBalancer(w.ctx(), ccmtest.Cluster, svc); exists || err != nil {
				t.Errorf("GetLoadBalancer after %s: %v, %v; want none", call.UnsettledFor, exists, err)
			}
			w.wantEmpty()
		})
	}
}

// A second try that is refused proves nothing about the first, which may be
// carried out when the refusal's reason is gone.
func TestARefusalDoesNotSettleAnEarlierCreate(t *testing.T) {
	t.Parallel()
	for _, code := range []simcloud.Code{simcloud.RateLimited, simcloud.QuotaExceeded} {
		w := newWorld(t, 1)
		svc, answers := ccmtest.Service(), []simcloud.Code{simcloud.Timeout, code, code}
		w.failing = func(op string, _ int) (f failure) {
			if op == "CreateLoadBalancer" && len(answers) > 0 {
				f.err, answers = simcloud.Errorf(answers[0], "", "no"), answers[1:]
			}
			return f
		}
		for _, want := range slices.Clone(answers[:2]) {
			if _, err := w.ensure(svc); !errors.Is(err, want) {
				t.Errorf("got %v, want %s", err, want)
			}
			w.now = w.now.Add(call.UnsettledFor / 2)
		}
		w.now = w.now.Add(-1)
		if err := w.remove(svc); !errors.Is(err, simcloud.Locked) {
			t.Errorf("%s: the Service goes: got %v, want a wait", code, err)
		}
		w.now = w.now.Add(1)
		if _, err := w.ensure(svc); !errors.Is(err, code) {
			t.Errorf("got %v, want %s", err, code)
		}
		w.mustRemove(svc)
	}
}

// Another floating IP of the Service is not the one that is waited for.
func TestADeletionWaitsForTheAddressAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.mustEnsure(ccmtest.Service())
	w.failing = func(operation string, _ int) failure {
		if operation == "CreateFloatingIP" {
			return failure{err: lost()}
		}
		return failure{}
	}
	svc := ccmtest.Service(func(svc *v1.Service) { svc.Spec.LoadBalancerIP = "127.77.9.9" })
	if _, err := w.ensure(svc); err == nil {
		t.Fatal("the lost answer is no error")
	}
	if err := w.remove(svc); !errors.Is(err, simcloud.Locked) {
		t.Errorf("got %v, want a wait", err)
	}
	w.wantEmpty()
}

// What was found since is not waited for when it has gone again.
func TestADeletionDoesNotWaitForWhatWasFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.failing = func(operation string, _ int) failure {
		if operation == "CreateFloatingIP" {
			return failure{err: lost(), commit: true}
		}
		return failure{}
	}
	if _, err := w.ensure(ccmtest.Service()); err == nil {
		t.Fatal("the lost answer is no error")
	}
	w.mustEnsure(ccmtest.Service())
	internal := ccmtest.Service(ccmtest.Annotate(annotation.Internal, "true"))
	w.mustEnsure(internal)
	w.mustRemove(internal)
	w.wantEmpty()
}
