package core

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// withinQuotas answers QuotaExceeded when a project has more than since the
// mark, and more than it may. It is asked once a call has done everything: so no
// operation can forget it, and one that replaces needs no more than it takes in the end.
func (t *txn) withinQuotas(since int) error {
	for _, grown := range t.tx.Grown(since) {
		id := simcloud.QuotaID(grown.Project, grown.Resource)
		if !store.Quotas.Has(t.tx, id) {
			continue
		}
		q, err := store.Quotas.Get(t.tx, id)
		if err != nil {
			return err
		}
		used, err := t.tx.Usage(grown.Project)
		if err != nil {
			return err
		}
		if now := used[grown.Resource]; q.Limit != simcloud.Unlimited && now > q.Limit {
			return simcloud.Errorf(simcloud.QuotaExceeded, simcloud.Ref(simcloud.KindQuota, id),
				"the project may have %d %s and has %d: this needs %d more", q.Limit, grown.Resource, now-grown.Amount, grown.Amount)
		}
	}
	return nil
}

// liftQuotas takes the limits away.
func (t *txn) liftQuotas() error {
	all, err := limited(t.tx)
	if err != nil {
		return err
	}
	for _, q := range all {
		q.Limit = simcloud.Unlimited
		if err := store.Quotas.Update(t.tx, t.now, &q); err != nil {
			return err
		}
	}
	return nil
}

// dropQuotas forgets the limits of a project that goes.
func (t *txn) dropQuotas(project simcloud.ID) error {
	for _, resource := range simcloud.QuotaResources() {
		if err := store.Quotas.DeleteQuietly(t.tx, simcloud.QuotaID(project, resource)); err != nil {
			return err
		}
	}
	return nil
}
