package core

import (
	"context"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// LoadSnapshot brings all resources back to what they were.
func (c *Cloud) LoadSnapshot(ctx context.Context, name simcloud.ID) (simcloud.Snapshot, error) {
	req := request{verb: "LoadSnapshot", admin: true}
	if err := admit(ctx, req); err != nil {
		return simcloud.Snapshot{}, err
	}
	if err := c.alone(ctx, "LoadSnapshot"); err != nil {
		return simcloud.Snapshot{}, err
	}
	c.saving.RLock()
	defer c.saving.RUnlock()
	err := c.openSnapshot(string(name), func(from *store.Tx) error {
		return c.updateExclusive(ctx, req, func(t *txn) error { return t.load(from) })
	})
	if err != nil {
		return simcloud.Snapshot{}, err
	}
	return c.readSnapshot(string(name))
}

// load makes the cloud what a snapshot has. What was under way there has as
// long to go here as it had.
func (t *txn) load(from *store.Tx) error {
	saved, err := snapshotTime(from)
	if err != nil {
		return err
	}
	keep, err := t.stays(from)
	if err != nil {
		return err
	}
	projects, err := store.Projects.All(t.tx)
	if err != nil {
		return err
	}
	shift := t.now.Sub(saved)
	revise := func(v any) {
		if op, ok := v.(*simcloud.Operation); ok && running(*op) {
			op.Started, op.ReadyAt = op.Started.Add(shift), shifted(op.ReadyAt, shift)
		}
	}
	ids := store.IDsOf(t.tx)
	if err := store.Load(t.tx, from, store.Loading{Now: t.now, Keep: keep, Revise: revise}); err != nil {
		return err
	}
	if err := t.keepIDs(ids); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return t.loadDue(from, shift) },
		func() error { return t.loadQuotas(from) },
		func() error { return t.loadSeed(from) },
		t.loadHealth,
		t.forgetDeletions,
		func() error { return t.redactGone(projects) },
		func() error { return t.cloud.reportUnreadable(t.tx) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	t.renewed()
	return nil
}

// shifted moves a time, unless there is none.
func shifted(t time.Time, by time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(by)
}

// stays tells which resources stay though a snapshot does not have them: the
// projects that have tokens, and the quotas, whose limits are lifted.
func (t *txn) stays(from *store.Tx) (func(simcloud.Kind, simcloud.ID) bool, error) {
	tokens, err := store.Tokens.All(t.tx)
	if err != nil {
		return nil, err
	}
	used := map[simcloud.ID]bool{}
	for _, token := range tokens {
		used[token.Project] = true
	}
	quotas, err := store.Quotas.All(t.tx)
	if err != nil {
		return nil, err
	}
	limited := map[simcloud.ID]bool{}
	for _, q := range quotas {
		limited[q.ID] = used[q.Project] || store.Projects.Has(from, q.Project)
	}
	return func(kind simcloud.Kind, id simcloud.ID) bool {
		return kind == simcloud.KindProject && used[id] || kind == simcloud.KindQuota && limited[id]
	}, nil
}

// loadDue schedules what was under way.
func (t *txn) loadDue(from *store.Tx, shift time.Duration) error {
	var failure error
	for _, due := range store.Due.All(from, &failure) {
		due.Ready = shifted(due.Ready, shift)
		if err := store.Due.Put(t.tx, dueKey(due), due); err != nil {
			return err
		}
	}
	return failure
}

// loadQuotas lifts the limits that the snapshot does not have.
func (t *txn) loadQuotas(from *store.Tx) error {
	all, err := limited(t.tx)
	if err != nil {
		return err
	}
	for _, q := range all {
		if store.Quotas.Has(from, q.ID) {
			continue
		}
		q.Limit = simcloud.Unlimited
		if err := store.Quotas.Update(t.tx, t.now, &q); err != nil {
			return err
		}
	}
	return nil
}

// loadHealth takes back what a data plane had reported, where there is none.
func (t *txn) loadHealth() error {
	if t.cloud.reported {
		return nil
	}
	return t.forgetReports()
}

// loadSeed lets chance go on as it would have.
func (t *txn) loadSeed(from *store.Tx) error {
	seed, ok, err := store.Seed.Get(from)
	if err != nil || !ok {
		return err
	}
	t.tx.OnCommit(func() { t.cloud.seed.Store(seed) })
	return store.Seed.Put(t.tx, seed)
}
