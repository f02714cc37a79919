package simtest_test

import (
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

func TestNew(t *testing.T) {
	t.Parallel()
	c := simtest.New(t, simtest.Seed(7), simtest.Slow(time.Minute), simtest.ManualClock())
	state, err := c.GetState(t.Context())
	if err != nil || state.Seed != 7 {
		t.Fatalf("seed %d, %v", state.Seed, err)
	}
	r, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})
	if err != nil || r.Resource.State != simcloud.InstancePending {
		t.Fatalf("state %q, %v", r.Resource.State, err)
	}
	advance, err := c.AdvanceClock(t.Context(), simcloud.Duration(time.Minute))
	if err != nil || len(advance.Fired) != 1 {
		t.Errorf("advance: %+v, %v", advance, err)
	}
}

func TestTestsHaveCloudsOfTheirOwn(t *testing.T) {
	t.Parallel()
	a, b := simtest.New(t), simtest.New(t)
	if _, err := a.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}); err != nil {
		t.Fatal(err)
	}
	page, err := b.ListInstances(t.Context(), simcloud.ListOptions{})
	if err != nil || len(page.Items) != 0 {
		t.Errorf("the other cloud has %d instances, %v", len(page.Items), err)
	}
}
