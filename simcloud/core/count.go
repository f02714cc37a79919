package core

import (
	"context"
	"maps"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Count is how many resources of a kind are in a state, in all projects.
type Count struct {
	Kind  simcloud.Kind
	State string // empty for kinds without states
	N     int
}

// Count counts all resources by their kind and state.
func (c *Cloud) Count(ctx context.Context) ([]Count, error) {
	if err := admit(ctx, request{admin: true}); err != nil {
		return nil, err
	}
	var counts []Count
	err := c.view(ctx, func(tx *store.Tx, _ simcloud.Caller) error {
		for _, kind := range append(resourceKinds(), store.Operations) {
			states := kind.States(tx)
			for _, state := range slices.Sorted(maps.Keys(states)) {
				counts = append(counts, Count{kind.Kind(), state, states[state]})
			}
		}
		return nil
	})
	return counts, err
}
