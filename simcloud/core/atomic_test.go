package core_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

type lbResult = simcloud.Result[simcloud.LoadBalancer]

var errGivenUp = errors.New("given up")

// whole returns the state of the cloud without its time.
func whole(t *testing.T, cloud *core.Cloud) simcloud.State {
	t.Helper()
	state := must[simcloud.State](t)(cloud.GetState(t.Context()))
	state.Time = time.Time{}
	return state
}

// makeSome makes a load balancer with an address and a listener, and a route.
func makeSome(ctx context.Context, cloud simcloud.API) error {
	lb, err := cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "lb"}, simcloud.IdempotencyKey("lb"))
	if err != nil {
		return err
	}
	to := simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: lb.Resource.ID}
	if _, err := cloud.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{Name: "fip", AttachedTo: to}); err != nil {
		return err
	}
	listener := simcloud.ListenerSpec{Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 30080}}
	if _, err := cloud.CreateListener(ctx, lb.Resource.ID, listener); err != nil {
		return err
	}
	_, err = cloud.CreateRoute(ctx, "rt-1", simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.9"}})
	return err
}

// TestOperationNote: who asks for it learns which operations the calls with a context have made, also as parts of an
// Atomic, and nothing of those that fail or that have another context.
func TestOperationNote(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	var noted []simcloud.ID
	ctx := simcloud.WithOperationNote(t.Context(), func(op simcloud.Operation) { noted = append(noted, op.ID) })
	first := must[lbResult](t)(cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "a"}))
	if _, err := cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "-"}); simcloud.CodeOf(err) != simcloud.Invalid {
		t.Errorf("got %v", err)
	}
	must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "b"}))
	var second, third simcloud.Operation
	if err := cloud.Atomic(ctx, func(ctx context.Context) (err error) {
		made, err := cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "c"})
		second = made.Operation
		if err != nil {
			return err
		}
		third, err = cloud.DeleteLoadBalancer(ctx, first.Resource.ID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]simcloud.ID{first.Operation.ID, second.ID, third.ID}, noted); diff != "" {
		t.Errorf("wrong operations (-want +got):\n%s", diff)
	}
}

// TestAtomicTakesAllBack: an error leaves the cloud as it was, with its ids,
// addresses, usage, events and answers.
func TestAtomicTakesAllBack(t *testing.T) {
	t.Parallel()
	for name, progression := range progressions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud, settle := openSettling(t, progression)
			before := whole(t, cloud)
			err := cloud.Atomic(t.Context(), func(ctx context.Context) error {
				return errors.Join(makeSome(ctx, cloud), errGivenUp)
			})
			if !errors.Is(err, errGivenUp) {
				t.Fatalf("got %v", err)
			}
			settle()
			if diff := cmp.Diff(before, whole(t, cloud)); diff != "" {
				t.Errorf("the cloud has changed (-before +after):\n%s", diff)
			}
			if err := cloud.Atomic(t.Context(), func(ctx context.Context) error { return makeSome(ctx, cloud) }); err != nil {
				t.Fatal(err)
			}
			settle()
			lb := must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1"))
			if lb.State != simcloud.LoadBalancerActive || len(lb.Listeners) != 1 || len(lb.VIPs) != 1 || lb.Operation != "" {
				t.Errorf("got %+v", lb)
			}
			if err := cloud.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAtomicReads: reads in it see what it has changed, however far behind
// reads are, and no one else does before it has ended.
func TestAtomicReads(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	consistency := simcloud.Consistency{StaleLists: simcloud.Duration(time.Minute), StaleGets: simcloud.Duration(time.Minute)}
	must[simcloud.Config](t)(cloud.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Consistency: &consistency}))
	must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "earlier"}))
	var before, within int
	err := cloud.Atomic(t.Context(), func(ctx context.Context) error {
		if err := makeSome(ctx, cloud); err != nil {
			return err
		}
		page, err := cloud.ListLoadBalancers(ctx, simcloud.ListOptions{})
		if err != nil {
			return err
		}
		lb, err := cloud.GetLoadBalancer(ctx, "lb-2")
		before, within = len(page.Items), len(lb.Listeners)
		return err
	})
	if err != nil || before != 2 || within != 1 {
		t.Errorf("a list shows %d load balancers, a read %d listeners: %v", before, within, err)
	}
	if page := must[simcloud.Page[simcloud.LoadBalancer]](t)(cloud.ListLoadBalancers(t.Context(), simcloud.ListOptions{})); len(page.Items) != 0 {
		t.Errorf("a read that is behind shows %v", page.Items)
	}
}

// TestAtomicGoesOn: what fails in it changes nothing, and the rest happens.
func TestAtomicGoesOn(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, minute)
	err := cloud.Atomic(t.Context(), func(ctx context.Context) error {
		lb := must[lbResult](t)(cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "kept"}))
		inner := cloud.Atomic(ctx, func(ctx context.Context) error {
			_, err := cloud.UpdateLoadBalancer(ctx, lb.Resource.ID, simcloud.LoadBalancerUpdate{Name: new("changed")})
			return errors.Join(err, makeSome(ctx, cloud), errGivenUp)
		})
		if !errors.Is(inner, errGivenUp) {
			t.Errorf("the inner one: %v", inner)
		}
		_, err := cloud.UpdateLoadBalancer(ctx, lb.Resource.ID, simcloud.LoadBalancerUpdate{Labels: &map[string]string{"a": "b"}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	settle()
	state := whole(t, cloud)
	if len(state.LoadBalancers) != 1 || state.LoadBalancers[0].Name != "kept" || state.LoadBalancers[0].Labels["a"] != "b" ||
		len(state.FloatingIPs) != 0 || len(state.RouteTables[0].Routes) != 0 || len(state.Operations) != 2 {
		t.Errorf("got %+v", state)
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAtomicOperations: of several changes of one resource the last takes the
// time, also when it is the deletion.
func TestAtomicOperations(t *testing.T) {
	t.Parallel()
	for name, progression := range map[string]simcloud.Progression{"time": minute, "polls": progressions["polls"]} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud, settle := openSettling(t, progression)
			if err := cloud.Atomic(t.Context(), func(ctx context.Context) error { return makeSome(ctx, cloud) }); err != nil {
				t.Fatal(err)
			}
			lb := whole(t, cloud).LoadBalancers[0]
			if lb.State != simcloud.LoadBalancerUpdating || lb.Operation != "op-3" {
				t.Errorf("the load balancer is %s under operation %q", lb.State, lb.Operation)
			}
			if op := must[simcloud.Operation](t)(cloud.GetOperation(t.Context(), "op-1")); op.State != simcloud.OperationDone {
				t.Errorf("the creation is %s", op.State)
			}
			_, err := cloud.UpdateLoadBalancer(t.Context(), lb.ID, simcloud.LoadBalancerUpdate{Name: new("b")})
			wantCode(t, "a change beside it", err, simcloud.Locked)
			settle()
			if err := cloud.Atomic(t.Context(), func(ctx context.Context) error {
				instance := must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}))
				_, stopped := cloud.StopInstance(ctx, instance.Resource.ID)
				_, updated := cloud.UpdateLoadBalancer(ctx, lb.ID, simcloud.LoadBalancerUpdate{Name: new("b")})
				_, deleted := cloud.DeleteLoadBalancer(ctx, lb.ID)
				return errors.Join(stopped, updated, deleted)
			}); err != nil {
				t.Fatal(err)
			}
			settle()
			state := whole(t, cloud)
			if len(state.LoadBalancers) != 0 || state.Instances[0].State != simcloud.InstanceStopped {
				t.Errorf("left are %v and %v", state.LoadBalancers, state.Instances)
			}
			if err := cloud.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAtomicOutcome: an outcome holds for the operations that can end so.
func TestAtomicOutcome(t *testing.T) {
	t.Parallel()
	for name, progression := range progressions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud, settle := openSettling(t, progression)
			if err := cloud.Atomic(ending(t, "error", 0), func(ctx context.Context) error { return makeSome(ctx, cloud) }); err != nil {
				t.Fatal(err)
			}
			settle()
			state := whole(t, cloud)
			if got := state.LoadBalancers[0].State; got != simcloud.LoadBalancerError {
				t.Errorf("the load balancer is %s", got)
			}
			if len(state.LoadBalancers[0].VIPs) != 1 || len(state.RouteTables[0].Routes) != 1 {
				t.Errorf("beside it there are %v", state)
			}
		})
	}
}

// TestAtomicQuota: the limits hold for all of it together.
func TestAtomicQuota(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	id := simcloud.QuotaID(simcloud.DefaultProject, simcloud.QuotaLoadBalancers)
	must[simcloud.Result[simcloud.Quota]](t)(cloud.SetQuota(t.Context(), id, simcloud.QuotaSpec{Limit: 1}))
	first := must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "a"})).Resource.ID
	another := func(ctx context.Context) error {
		_, err := cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "b"})
		return err
	}
	wantCode(t, "one more", cloud.Atomic(t.Context(), another), simcloud.QuotaExceeded)
	err := cloud.Atomic(t.Context(), func(ctx context.Context) error {
		if err := another(ctx); err != nil {
			return err
		}
		_, err := cloud.DeleteLoadBalancer(ctx, first)
		return err
	})
	if lbs := whole(t, cloud).LoadBalancers; err != nil || len(lbs) != 1 || lbs[0].Name != "b" {
		t.Errorf("one in the place of another: %v, %v", lbs, err)
	}
}

// TestAtomicRefuses what cannot be a part, in words and without a deadlock.
func TestAtomicRefuses(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	var outlived context.Context
	refused := func(ctx context.Context) error {
		for what, call := range map[string]func() error{
			"Reset":        func() error { return cloud.Reset(ctx) },
			"Seed":         func() error { _, err := cloud.Seed(ctx, simcloud.Topology{}); return err },
			"PlanReset":    func() error { _, err := cloud.PlanReset(ctx); return err },
			"PlanSeed":     func() error { _, err := cloud.PlanSeed(ctx, simcloud.Topology{}); return err },
			"UpdateConfig": func() error { _, err := cloud.UpdateConfig(ctx, simcloud.ConfigUpdate{}); return err },
			"AdvanceClock": func() error { _, err := cloud.AdvanceClock(ctx, 1); return err },
			"SaveSnapshot": func() error { _, err := cloud.SaveSnapshot(ctx, simcloud.SnapshotSpec{Name: "s"}); return err },
			"LoadSnapshot": func() error { _, err := cloud.LoadSnapshot(ctx, "s"); return err },
			"Wait":         func() error { _, err := cloud.WaitOperation(ctx, "op-1"); return err },
			"Check":        func() error { return cloud.Check(ctx) },
			"Watch": func() error {
				for _, err := range cloud.WatchEvents(ctx, 0) {
					return err
				}
				return nil
			},
		} {
			wantCode(t, what, call(), simcloud.Unimplemented)
		}
		outlived = ctx
		return nil
	}
	if err := errors.Join(cloud.Atomic(t.Context(), refused), cloud.View(t.Context(), refused)); err != nil {
		t.Fatal(err)
	}
	if err := cloud.View(t.Context(), func(ctx context.Context) error {
		wantCode(t, "a change in a View", makeSome(ctx, cloud), simcloud.Unimplemented)
		wantCode(t, "an Atomic in a View", cloud.Atomic(ctx, func(context.Context) error { return nil }), simcloud.Unimplemented)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	_, err := cloud.GetNetwork(outlived, "net-1")
	wantCode(t, "a read after its end", err, simcloud.Internal)
	wantCode(t, "a change after its end", makeSome(outlived, cloud), simcloud.Internal)
}

// TestAtomicRoles: a part needs the role that it needs alone.
func TestAtomicRoles(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	reader := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: simcloud.DefaultProject, Role: simcloud.RoleReader})
	err := cloud.Atomic(reader, func(ctx context.Context) error { return makeSome(ctx, cloud) })
	wantCode(t, "a reader's change", err, simcloud.Forbidden)
}

// TestAtomicPanics: a panic passes on to the caller, and nothing has happened.
func TestAtomicPanics(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	before := whole(t, cloud)
	func() {
		defer func() {
			if got, _ := recover().(error); !errors.Is(got, errGivenUp) {
				t.Errorf("recovered %v", got)
			}
		}()
		_ = cloud.Atomic(t.Context(), func(ctx context.Context) error {
			if err := makeSome(ctx, cloud); err != nil {
				t.Error(err)
			}
			panic(errGivenUp)
		})
	}()
	if diff := cmp.Diff(before, whole(t, cloud)); diff != "" {
		t.Errorf("the cloud has changed (-before +after):\n%s", diff)
	}
}

// TestView: all reads are of one revision, whatever happens between them.
func TestView(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	if err := cloud.View(t.Context(), func(ctx context.Context) error {
		before := must[simcloud.Page[simcloud.LoadBalancer]](t)(cloud.ListLoadBalancers(ctx, simcloud.ListOptions{}))
		done := make(chan error)
		go func() { done <- makeSome(t.Context(), cloud) }()
		if err := <-done; err != nil {
			return err
		}
		after := must[simcloud.Page[simcloud.Network]](t)(cloud.ListNetworks(ctx, simcloud.ListOptions{}))
		if _, err := cloud.GetLoadBalancer(ctx, "lb-1"); simcloud.CodeOf(err) != simcloud.NotFound || after.Revision != before.Revision {
			t.Errorf("a list of revision %d follows one of revision %d, and the load balancer is there: %v", after.Revision, before.Revision, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestViewPolls: its reads count for what is complete after a number of them.
func TestViewPolls(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{Progression: simcloud.Progression{Mode: simcloud.ProgressionPolls, Polls: 2}})
	must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "a"}))
	for _, want := range []simcloud.OperationState{simcloud.OperationRunning, simcloud.OperationRunning, simcloud.OperationDone} {
		if err := cloud.View(t.Context(), func(ctx context.Context) error {
			op := must[simcloud.Operation](t)(cloud.GetOperation(ctx, "op-1"))
			again := must[simcloud.Operation](t)(cloud.GetOperation(ctx, "op-1"))
			if op.State != want || again.State != want {
				t.Errorf("the operation is %s and then %s, want %s", op.State, again.State, want)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
