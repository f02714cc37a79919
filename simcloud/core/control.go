package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// GetState returns all resources of all projects.
func (c *Cloud) GetState(ctx context.Context) (simcloud.State, error) {
	var state simcloud.State
	if err := admit(ctx, request{admin: true}); err != nil {
		return simcloud.State{}, err
	}
	err := c.view(ctx, func(tx *store.Tx, _ simcloud.Caller) error {
		state.Revision, state.Time = tx.Revision(), c.clock.now()
		var err error
		if state.Seed, _, err = store.Seed.Get(tx); err != nil {
			return err
		}
		for _, err := range []error{
			all(tx, store.Projects, &state.Projects), all(tx, store.Regions, &state.Regions),
			all(tx, store.Zones, &state.Zones), all(tx, store.InstanceTypes, &state.InstanceTypes),
			all(tx, store.Networks, &state.Networks), all(tx, store.Subnets, &state.Subnets),
			all(tx, store.Instances, &state.Instances), all(tx, store.Volumes, &state.Volumes),
			all(tx, store.SSHKeys, &state.SSHKeys), all(tx, store.LoadBalancers, &state.LoadBalancers),
			all(tx, store.FloatingIPs, &state.FloatingIPs), all(tx, store.FloatingIPPools, &state.FloatingIPPools),
			all(tx, store.RouteTables, &state.RouteTables), all(tx, store.Clusters, &state.Clusters),
			all(tx, store.Operations, &state.Operations),
		} {
			if err != nil {
				return err
			}
		}
		if state.Tokens, err = c.allTokens(tx); err != nil {
			return err
		}
		state.Quotas, err = limited(tx)
		return err
	})
	if err != nil {
		return simcloud.State{}, err
	}
	return state, nil
}

func all[T any, P store.Resource[T]](tx *store.Tx, b store.Bucket[T, P], into *[]T) (err error) {
	*into, err = b.All(tx)
	return err
}

// Reset leads back to the default topology. Tokens, their projects and the clock stay.
func (c *Cloud) Reset(ctx context.Context) error {
	return c.updateExclusive(ctx, request{verb: "Reset", admin: true}, func(t *txn) error {
		if err := store.Wipe(t.tx, t.now, t.cloud.ranges.topology().keeps); err != nil {
			return err
		}
		t.renewed()
		if err := t.liftQuotas(); err != nil {
			return err
		}
		return t.makeTopology()
	})
}
