package core_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// expected are the codes that a call may answer when others work on the same things.
func expected(err error) bool {
	return err == nil || errors.Is(err, simcloud.NotFound) || errors.Is(err, simcloud.Conflict) ||
		errors.Is(err, simcloud.InUse) || errors.Is(err, simcloud.AlreadyExists) || errors.Is(err, simcloud.Invalid)
}

// TestConcurrent lets goroutines do everything to a few resources at once, and
// then checks the invariants and the story that the events tell.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	var workers sync.WaitGroup
	for worker := range 8 {
		workers.Go(func() {
			dice := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 60 {
				if err := anything(t, cloud, dice); !expected(err) {
					t.Errorf("worker %d: %v", worker, err)
				}
			}
		})
	}
	workers.Wait()
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
	state := must[simcloud.State](t)(cloud.GetState(t.Context()))
	versions := map[string]uint64{}
	for event, err := range cloud.WatchEvents(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		ref := simcloud.Ref(event.Kind, event.ID)
		versions[ref] = event.Revision
		if event.Type == simcloud.Deleted {
			delete(versions, ref)
		}
		if event.Revision == state.Revision {
			break
		}
	}
	for _, lb := range state.LoadBalancers {
		if ref := simcloud.Ref(simcloud.KindLoadBalancer, lb.ID); versions[ref] != lb.Version {
			t.Errorf("%s has version %d, the events say %d", lb.ID, lb.Version, versions[ref])
		}
	}
}

// anything does one thing by chance.
func anything(t *testing.T, cloud *core.Cloud, dice *rand.Rand) error {
	ctx := t.Context()
	pick := func(prefix string) simcloud.ID { return simcloud.ID(fmt.Sprintf("%s-%d", prefix, 1+dice.IntN(12))) }
	var err error
	switch dice.IntN(12) {
	case 0, 1:
		_, err = cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"})
	case 2:
		_, err = cloud.DeleteInstance(ctx, pick("i"))
	case 3:
		_, err = cloud.StopInstance(ctx, pick("i"))
	case 4:
		_, err = cloud.StartInstance(ctx, pick("i"))
	case 5:
		_, err = cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "lb", Targets: []simcloud.TargetSpec{{Instance: pick("i")}}})
	case 6:
		_, err = cloud.CreateTarget(ctx, pick("lb"), simcloud.TargetSpec{Instance: pick("i")})
	case 7:
		_, err = cloud.DeleteLoadBalancer(ctx, pick("lb"))
	case 8:
		_, err = cloud.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{
			Name: "f", AttachedTo: simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: pick("lb")},
		})
	case 9:
		_, err = cloud.DetachFloatingIP(ctx, pick("fip"))
	case 10:
		_, err = cloud.CreateRoute(ctx, "rt-1", simcloud.RouteSpec{
			Destination: fmt.Sprintf("10.244.%d.0/24", dice.IntN(30)), NextHop: simcloud.NextHop{Instance: pick("i")},
		})
	default:
		_, err = cloud.RecreateInstance(ctx, pick("i"))
	}
	return err
}

// TestConcurrentKeys: of many calls with one key, one happens.
func TestConcurrentKeys(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	var workers sync.WaitGroup
	ids := make([]simcloud.ID, 16)
	for i := range ids {
		workers.Go(func() {
			r, err := cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb"}, simcloud.IdempotencyKey("k"))
			if err != nil {
				t.Error(err)
			}
			ids[i] = r.Resource.ID
		})
	}
	workers.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("answers %v", ids)
			break
		}
	}
	if n := len(must[simcloud.State](t)(cloud.GetState(t.Context())).LoadBalancers); n != 1 {
		t.Errorf("%d load balancers", n)
	}
}
