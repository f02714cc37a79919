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
		for _, kind := range stateKinds() {
			if err := kind.read(tx, &state); err != nil {
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

// Reset leads back to the default topology. Tokens, their projects and the mode of the clock stay.
func (c *Cloud) Reset(ctx context.Context) error {
	return c.updateExclusive(ctx, request{verb: "Reset", admin: true}, (*txn).reset)
}

func (t *txn) reset() error {
	if err := t.resetClock(); err != nil {
		return err
	}
	ids := store.IDsOf(t.tx)
	if err := store.Wipe(t.tx, t.now, t.cloud.ranges.topology().keeps); err != nil {
		return err
	}
	if err := t.keepIDs(ids); err != nil {
		return err
	}
	if err := t.forgetDeletions(); err != nil {
		return err
	}
	t.renewed()
	if err := t.liftQuotas(); err != nil {
		return err
	}
	return t.makeTopology()
}

// keepIDs lets ids go on from where they were, if the configuration asks for that.
func (t *txn) keepIDs(were store.IDs) error {
	if !t.behaviour.KeepIDs {
		return nil
	}
	return were.Raise(t.tx)
}
