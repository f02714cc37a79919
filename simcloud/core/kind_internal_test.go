package core

import (
	"slices"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestKindsAreAll: each kind of the model is in the table of kinds, or is one with rules of its own.
func TestKindsAreAll(t *testing.T) {
	t.Parallel()
	var known []simcloud.Kind
	for _, kind := range stateKinds() {
		known = append(known, kind.Kind())
	}
	for _, c := range (simcloud.State{}).Counts() {
		special := c.Kind == simcloud.KindToken || c.Kind == simcloud.KindQuota
		if slices.Contains(known, c.Kind) == special {
			t.Errorf("the table has the kind %s: %t, want %t", c.Kind, special, !special)
		}
	}
	if len(known) != len(slices.Compact(slices.Sorted(slices.Values(known)))) {
		t.Errorf("the table has a kind twice: %v", known)
	}
}
