package ccm

import (
	"context"

	"github.com/simcloud-dev/simcloud/ccm/lb"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// brokenAPI shows one load balancer in state error, which the simulator cannot be told to do.
type brokenAPI struct {
	lb.API
	id simcloud.ID
}

func (b brokenAPI) ListLoadBalancers(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error) {
	page, err := b.API.ListLoadBalancers(ctx, opts)
	for i := range page.Items {
		if page.Items[i].ID == b.id {
			page.Items[i].State, page.Items[i].StatusText = simcloud.LoadBalancerError, "out of order"
		}
	}
	return page, err
}

// breakLB brings a load balancer into state error: an operation on it ends so.
func (w *world) breakLB(id simcloud.ID) {
	w.t.Helper()
	faults := w.api.(fault.API)
	if _, err := faults.AddFault(w.ctx(), fault.Rule{
		Match:  fault.Match{Operation: "FailoverLoadBalancer"},
		Effect: fault.Effect{State: &fault.State{To: string(simcloud.LoadBalancerError)}},
	}); err != nil {
		w.t.Fatal(err)
	}
	result, err := w.api.FailoverLoadBalancer(w.ctx(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := faults.ClearFaults(w.ctx()); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.api.WaitOperation(w.ctx(), result.Operation.ID); err != nil {
		w.t.Fatal(err)
	}
	if got := w.lb(id).State; got != simcloud.LoadBalancerError {
		w.t.Fatalf("load balancer %s is %s", id, got)
	}
}
