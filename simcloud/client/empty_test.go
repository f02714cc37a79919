package client_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestEmptyIsNotNothing: what points to nil asks the cloud for nothing at all
// there, as it does in the same process, and is not left out.
func TestEmptyIsNotNothing(t *testing.T) {
	t.Parallel()
	c := simtest.New(t)
	made, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"a": "b"}})
	if err != nil {
		t.Fatal(err)
	}
	var labels map[string]string
	update := simcloud.InstanceUpdate{Labels: &labels}
	changed, err := c.UpdateInstance(t.Context(), made.Resource.ID, update)
	if err != nil || len(changed.Resource.Labels) > 0 {
		t.Errorf("labels %v, %v", changed.Resource.Labels, err)
	}
	if labels != nil {
		t.Error("the caller's own value was changed")
	}
	rates := []simcloud.Rate{{Class: "read", PerSecond: 100, Burst: 100}}
	if _, err := c.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Rates: &rates}); err != nil {
		t.Fatal(err)
	}
	var none []simcloud.Rate
	config, err := c.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Rates: &none})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(none, config.Rates); diff != "" {
		t.Errorf("rates (-want +got):\n%s", diff)
	}
}
