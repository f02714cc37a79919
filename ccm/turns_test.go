package ccm

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/types"
)

// TestNodesThatComeTooEarly: a change of the Nodes that finds no load balancer
// must not be lost, because one may be on its way with the Nodes of before.
func TestNodesThatComeTooEarly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	svc := service()
	if err := w.cloud.balancers.UpdateLoadBalancer(w.ctx(), testCluster, svc, w.nodes); err == nil {
		t.Error("there is no load balancer to update, and that was no error")
	}
	for _, want := range []bool{true, false} {
		_, exists, err := w.cloud.balancers.GetLoadBalancer(w.ctx(), testCluster, svc)
		if err != nil || exists != want {
			t.Errorf("GetLoadBalancer = %v, %v, want %v", exists, err, want)
		}
	}
}

func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var turns turns
		take := func(ctx context.Context, uid string) func() {
			t.Helper()
			end, err := turns.take(ctx, types.UID(uid))
			if err != nil {
				t.Fatal(err)
			}
			return end
		}
		end := take(t.Context(), "a")
		take(t.Context(), "b")() // another Service's turn is no matter

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := turns.take(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("who waits with a context that is done gets %v", err)
		}
		taken := false
		go func() {
			defer take(t.Context(), "a")()
			taken = true
		}()
		synctest.Wait()
		if taken {
			t.Error("two have the turn of one Service at the same time")
		}
		end()
		synctest.Wait()
		if !taken {
			t.Error("the turn has ended, and who waited for it still waits")
		}
	})
}
