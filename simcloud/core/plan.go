package core

import (
	"context"
	"errors"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// errPlanned ends a transaction of which nothing happens: it was made to see what it would change.
var errPlanned = errors.New("planned")

// plan runs a mutation, all of whose rules hold, and takes it back.
func (c *Cloud) plan(ctx context.Context, req request, fn func(*txn) error) error {
	if err := admit(ctx, req); err != nil {
		return err
	}
	if err := c.alone(ctx, req.verb); err != nil {
		return err
	}
	mutation := c.inTxn(ctx, req, fn)
	err := c.db.UpdateAlone(func(tx *store.Tx) error {
		if err := mutation(tx); err != nil {
			return err
		}
		return errPlanned
	})
	if errors.Is(err, errPlanned) {
		return nil
	}
	return err
}

// PlanSeed returns what Seed would change.
func (c *Cloud) PlanSeed(ctx context.Context, topology simcloud.Topology) (simcloud.SeedReport, error) {
	var report simcloud.SeedReport
	err := c.plan(ctx, request{verb: "PlanSeed", admin: true, spec: topology}, func(t *txn) (err error) {
		report, err = seedIn(ctx, t, topology)
		return err
	})
	return report, err
}

// PlanReset returns what Reset would change.
func (c *Cloud) PlanReset(ctx context.Context) (simcloud.SeedReport, error) {
	var from, to []store.Object
	err := c.plan(ctx, request{verb: "PlanReset", admin: true}, func(t *txn) error {
		return errors.Join(objectsInto(&from)(t.tx), t.reset(), objectsInto(&to)(t.tx))
	})
	if err != nil {
		return simcloud.SeedReport{}, err
	}
	changes, err := difference(from, to)
	if err != nil {
		return simcloud.SeedReport{}, err
	}
	report := reportOf(changes)
	report.Unchanged = len(to) - len(report.Created) - len(report.Updated)
	return report, nil
}

// reportOf tells changes by the names of the resources.
func reportOf(changes []simcloud.SnapshotChange) simcloud.SeedReport {
	report := simcloud.SeedReport{Created: []string{}, Updated: []string{}, Deleted: []string{}}
	lists := map[simcloud.EventType]*[]string{simcloud.Created: &report.Created, simcloud.Updated: &report.Updated, simcloud.Deleted: &report.Deleted}
	for _, change := range changes {
		ref := change.Resource
		if change.Name != "" {
			kind, _, _ := strings.Cut(ref, "/")
			ref = simcloud.Ref(simcloud.Kind(kind), simcloud.ID(change.Name))
		}
		*lists[change.Type] = append(*lists[change.Type], ref)
	}
	return report
}
