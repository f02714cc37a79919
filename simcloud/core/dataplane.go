package core

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// GetDataPlane reads what the data plane does.
func (c *Cloud) GetDataPlane(ctx context.Context) (simcloud.DataPlane, error) {
	if err := admit(ctx, request{admin: true}); err != nil {
		return simcloud.DataPlane{}, err
	}
	plane := simcloud.DataPlane{Running: c.reported, Listeners: []simcloud.DataPlaneListener{}}
	if status := c.traffic.Load(); status != nil {
		plane.Listeners = append(plane.Listeners, (*status)()...)
	}
	return plane, nil
}

// ShowDataPlane lets GetDataPlane answer what status returns from now on.
func (c *Cloud) ShowDataPlane(status func() []simcloud.DataPlaneListener) { c.traffic.Store(&status) }

// ReportTargetHealth keeps what the data plane says of a target. It follows
// from the packets: no operation stands in its way, and none is made.
func (m mutations) ReportTargetHealth(ctx context.Context, lb, instance simcloud.ID, health simcloud.TargetHealth) error {
	req := request{verb: "ReportTargetHealth", admin: true, ids: []simcloud.ID{lb, instance}, spec: healthReport(health)}
	return m.update(ctx, req, func(t *txn) error {
		if !t.cloud.reported {
			return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindLoadBalancer, lb),
				"the cloud has no data plane: the health of its targets follows their instances")
		}
		return t.reportTarget(lb, instance, health)
	})
}

// ReportGroupTargetHealth is ReportTargetHealth for a target of a group.
func (m mutations) ReportGroupTargetHealth(
	ctx context.Context, group, instance simcloud.ID, port int, health simcloud.TargetHealth,
) error {
	req := request{verb: "ReportGroupTargetHealth", admin: true, ids: []simcloud.ID{group, instance}, spec: groupHealthReport(health)}
	return m.update(ctx, req, func(t *txn) error {
		if !t.cloud.reported {
			return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindTargetGroup, group),
				"the cloud has no data plane: the health of its targets follows their instances")
		}
		spec := simcloud.GroupTargetSpec{Port: port}
		spec.Instance, spec.Address = simcloud.TargetOf(instance)
		return t.reportGroupTarget(group, spec, health)
	})
}

// healthReport is what a data plane can say. That a target drains is the cloud's to know.
type healthReport simcloud.TargetHealth

// Validate checks the report.
func (h healthReport) Validate() error {
	return canReport(simcloud.KindLoadBalancer, simcloud.TargetHealth(h))
}

// groupHealthReport is healthReport for a target of a group.
type groupHealthReport simcloud.TargetHealth

// Validate checks the report.
func (h groupHealthReport) Validate() error {
	return canReport(simcloud.KindTargetGroup, simcloud.TargetHealth(h))
}

func canReport(kind simcloud.Kind, health simcloud.TargetHealth) error {
	switch health {
	case simcloud.TargetHealthy, simcloud.TargetUnhealthy:
		return nil
	default:
		return invalid(string(kind), "health", "invalid value %q: must be one of %s, %s",
			string(health), simcloud.TargetHealthy, simcloud.TargetUnhealthy)
	}
}

func (t *txn) reportTarget(id, instance simcloud.ID, health simcloud.TargetHealth) error {
	before, err := store.LoadBalancers.Get(t.tx, id)
	if err != nil {
		return err
	}
	lb := copyLoadBalancer(before)
	i := targetAt(lb, instance)
	if i < 0 {
		return noTarget(id, instance)
	}
	is, err := t.machineOf(lb.Targets[i].Instance, lb.Targets[i].Address)
	if err != nil {
		return err
	}
	lb.Targets[i].Reported = health
	lb.Targets[i].Health = healthOf(is, health)
	if same(before, lb) {
		return nil
	}
	return store.LoadBalancers.Update(t.tx, t.now, &lb)
}

// instanceOf is the instance that is a target; the zero instance when it is gone.
func (t *txn) instanceOf(target simcloud.ID) (simcloud.Instance, error) {
	instance, err := store.Instances.Get(t.tx, target)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return simcloud.Instance{}, nil
	}
	return instance, err
}

// beginHealth forgets what a former data plane has reported, where there is none any more.
func (c *Cloud) beginHealth() error {
	if c.reported {
		return nil
	}
	var left bool
	err := c.db.View(func(tx *store.Tx) error {
		lbs, err := store.LoadBalancers.All(tx)
		if left = slices.ContainsFunc(lbs, hasReports); err != nil || left {
			return err
		}
		groups, err := store.TargetGroups.All(tx)
		left = slices.ContainsFunc(groups, hasGroupReports)
		return err
	})
	if err != nil || !left {
		return err
	}
	return c.db.UpdateAlone(func(tx *store.Tx) error { return c.newTxn(tx, simcloud.Caller{}).forgetReports() })
}

func hasReports(lb simcloud.LoadBalancer) bool {
	return slices.ContainsFunc(lb.Targets, func(t simcloud.Target) bool { return t.Reported != "" })
}

// forgetReports lets the health of all targets follow their instances alone
// again: what a former data plane has said would stand for ever where there is none.
func (t *txn) forgetReports() error {
	lbs, err := store.LoadBalancers.All(t.tx)
	if err != nil {
		return err
	}
	for _, before := range lbs {
		lb := copyLoadBalancer(before)
		for i, target := range lb.Targets {
			is, err := t.machineOf(target.Instance, target.Address)
			if err != nil {
				return err
			}
			lb.Targets[i].Reported, lb.Targets[i].Health = "", healthOf(is, "")
		}
		if same(before, lb) {
			continue
		}
		if err := store.LoadBalancers.Update(t.tx, t.now, &lb); err != nil {
			return err
		}
	}
	return t.forgetGroupReports()
}
