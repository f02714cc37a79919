package node

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/ccm/budget"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// fleetAPI is a cloud of many instances that does nothing but count.
type fleetAPI struct {
	instances int
	calls     *int
}

func (f fleetAPI) GetInstance(_ context.Context, id simcloud.ID) (simcloud.Instance, error) {
	*f.calls++
	return simcloud.Instance{Meta: simcloud.Meta{ID: id}}, nil
}

func (f fleetAPI) ListInstances(_ context.Context, o simcloud.ListOptions) (page simcloud.Page[simcloud.Instance], _ error) {
	*f.calls++
	from := 0
	if o.PageToken != "" {
		if _, err := fmt.Sscan(o.PageToken, &from); err != nil {
			return page, err
		}
	}
	for i := from; i < min(from+o.PageSize, f.instances); i++ {
		page.Items = append(page.Items, simcloud.Instance{Meta: simcloud.Meta{ID: simcloud.ID(fmt.Sprintf("i-%d", i))}})
	}
	if from+o.PageSize < f.instances {
		page.NextPage = fmt.Sprint(from + o.PageSize)
	}
	return page, nil
}

// TestPassesStayWithinTheirCalls walks over clusters of many shapes, twice each.
func TestPassesStayWithinTheirCalls(t *testing.T) {
	t.Parallel()
	for _, instances := range []int{1, 999, 1000, 1001, 5000} {
		for _, nodes := range []int{1, 2, 3, 5, 6, 11, 999} {
			if nodes > instances {
				continue
			}
			calls, now := 0, time.Now()
			s := newLookups(fleetAPI{instances, &calls}, 2*time.Second, SystemClock(func() time.Time { return now }), &Cache{})
			for pass := range 3 {
				calls = 0
				for i := range nodes {
					if _, err := s.byID(t.Context(), simcloud.ID(fmt.Sprintf("i-%d", i))); err != nil {
						t.Fatal(err)
					}
				}
				if most := budget.PassCalls(nodes, instances); calls > most {
					t.Errorf("%d Nodes of %d instances, pass %d: %d calls, at most %d are stated", nodes, instances, pass, calls, most)
				}
				now = now.Add(5 * time.Second)
			}
		}
	}
}

// slowAPI answers to the first question late, and what was so when it was asked.
type slowAPI struct {
	fleetAPI
	meanwhile *func()
}

func (a slowAPI) GetInstance(ctx context.Context, id simcloud.ID) (simcloud.Instance, error) {
	inst, err := a.fleetAPI.GetInstance(ctx, id)
	if wait := *a.meanwhile; wait != nil {
		*a.meanwhile = nil
		wait()
	}
	return inst, err
}

// An answer is as old as its question, however long it took to come.
func TestALateAnswerIsOld(t *testing.T) {
	t.Parallel()
	now, meanwhile := time.Now(), new(func())
	api := slowAPI{fleetAPI{10, new(int)}, meanwhile}
	s := newLookups(api, 2*time.Second, SystemClock(func() time.Time { return now }), &Cache{})
	ask := func(id simcloud.ID) {
		if _, err := s.byID(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	*meanwhile = func() {
		now = now.Add(10 * time.Second)
		ask("i-2")
	}
	ask("i-1")
	before := *api.calls
	ask("i-1")
	if *api.calls == before {
		t.Error("an answer to a question of ten seconds ago serves again")
	}
}

// heldAPI lets a test hold the lists, and tells it of each that begins.
type heldAPI struct {
	fleetAPI
	begun chan struct{}
	held  chan struct{}
}

func (h heldAPI) ListInstances(ctx context.Context, o simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
	h.begun <- struct{}{}
	select {
	case <-h.held:
		return h.fleetAPI.ListInstances(ctx, o)
	case <-ctx.Done():
		return simcloud.Page[simcloud.Instance]{}, ctx.Err()
	}
}

func newHeld(t *testing.T) (heldAPI, *lookups) {
	t.Helper()
	api := heldAPI{fleetAPI{10, new(int)}, make(chan struct{}, 10), make(chan struct{})}
	s := newLookups(api, time.Minute, SystemClock(time.Now), &Cache{})
	if _, err := s.byID(t.Context(), "i-0"); err != nil {
		t.Fatal(err)
	}
	return api, s
}

// TestOneListAtATime: whoever asks while a list is read waits for it.
func TestOneListAtATime(t *testing.T) {
	t.Parallel()
	api, s := newHeld(t)
	var asking sync.WaitGroup
	for _, id := range []simcloud.ID{"i-1", "i-2", "i-3", "i-4"} {
		asking.Go(func() {
			if inst, err := s.byID(t.Context(), id); err != nil || inst.ID != id {
				t.Errorf("%s: got %q, %v", id, inst.ID, err)
			}
		})
	}
	<-api.begun
	close(api.held)
	asking.Wait()
	if *api.calls != 2 {
		t.Errorf("%d calls, want one for i-0 and one list", *api.calls)
	}
}

// Whoever finds that a list is due gets one that another has read meanwhile.
func TestAListThatCameMeanwhile(t *testing.T) {
	t.Parallel()
	api, s := newHeld(t)
	close(api.held)
	if _, how, _ := s.recall("i-1"); how != cacheStale {
		t.Fatalf("recollection %d, want that a list is due", how)
	}
	if _, err := s.byID(t.Context(), "i-2"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.list(t.Context()); err != nil {
		t.Fatal(err)
	}
	if *api.calls != 2 {
		t.Errorf("%d calls, want one for i-0 and one list", *api.calls)
	}
}

// A reader that is told to stop says nothing to those who wait: one of them reads on.
func TestAnAbandonedList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api, s := newHeld(t)
		ctx, stop := context.WithCancel(t.Context())
		var asking sync.WaitGroup
		asking.Go(func() {
			if _, err := s.byID(ctx, "i-1"); !errors.Is(err, context.Canceled) {
				t.Errorf("the one that was stopped: %v", err)
			}
		})
		<-api.begun
		asking.Go(func() {
			if inst, err := s.byID(t.Context(), "i-2"); err != nil || inst.ID != "i-2" {
				t.Errorf("the other: %q, %v", inst.ID, err)
			}
		})
		synctest.Wait() // the other waits for the list
		stop()
		<-api.begun
		close(api.held)
		asking.Wait()
	})
}
