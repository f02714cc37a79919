package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Chance returns the seed that all chance of the cloud comes from: the one it
// was made with, whatever its configuration says today.
func (c *Cloud) Chance() uint64 { return c.seed.Load() }

// Reseed lets all chance from now on come from another seed.
func (c *Cloud) Reseed(ctx context.Context, seed uint64) error {
	return c.updateExclusive(ctx, request{verb: "Reseed", admin: true}, func(t *txn) error {
		t.tx.OnCommit(func() { c.seed.Store(seed) })
		return store.Seed.Put(t.tx, seed)
	})
}
