package dataplane

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
)

// reportDelay is how long to wait after a report that the cloud did not take.
const reportDelay = time.Second

// report lets the cloud know the health of targets, until ctx is done. It goes
// by what both sides say now, so that nothing is lost when a report is, or when the cloud restarts.
func (d *DataPlane) report(ctx context.Context) {
	retry := time.NewTimer(0) // what there is at first
	defer retry.Stop()
	for {
		select {
		case <-d.balancer.HealthChanged():
		case <-d.changed:
		case <-retry.C:
		case <-ctx.Done():
			return
		}
		if !d.reportAll(ctx) {
			retry.Reset(reportDelay)
		}
	}
}

// reportAll reports whether the cloud has taken all that is news to it.
func (d *DataPlane) reportAll(ctx context.Context) bool {
	taken := true
	for _, h := range d.news() {
		err := d.tell(ctx, h)
		if err == nil || errors.Is(err, simcloud.NotFound) || ctx.Err() != nil { // gone meanwhile
			continue
		}
		d.log.Warn("cannot report the health of a target", "lb", h.LoadBalancer, "targetGroup", h.Group, "target", h.Instance, "error", err)
		taken = false
	}
	return taken
}

func (d *DataPlane) tell(ctx context.Context, h Health) error {
	if h.Group != "" {
		return d.cloud.ReportGroupTargetHealth(ctx, h.Group, h.Instance, h.Port, h.Health)
	}
	return d.cloud.ReportTargetHealth(ctx, h.LoadBalancer, h.Instance, h.Health)
}

// news is the health that the cloud does not have right: of targets that a
// listener has looked at, and whose instances run in a zone that is up. Of the
// others the cloud knows itself how they are, and of hollow ones nothing else can.
// An address to which nothing may be sent tells nothing of the machine behind it.
func news(view mirror.View, all []Health) []Health {
	return slices.DeleteFunc(all, func(h Health) bool {
		known, is := knownHealth(view, h)
		return !h.Known || !is || known == h.Health || !looked(view.LoadBalancers[h.LoadBalancer], h.Group) || !judged(view, h)
	})
}

// judged reports whether it is the data plane that knows how the machine behind a target is.
func judged(view mirror.View, h Health) bool {
	id, address := simcloud.TargetOf(h.Instance)
	if address != "" {
		return !h.Outside
	}
	instance := view.Instances[id]
	return instance.TargetHealth() == simcloud.TargetHealthy && instance.Labels[simcloud.LabelNode] != simcloud.NodeLight
}

// looked reports whether a listener of a load balancer looks at the targets of a group, "" for its own.
func looked(lb simcloud.LoadBalancer, group simcloud.ID) bool {
	return slices.ContainsFunc(lb.Listeners, func(l simcloud.Listener) bool { return l.TargetGroup == group })
}

// knownHealth is what the cloud has of a target; false when it has no such target.
func knownHealth(view mirror.View, h Health) (simcloud.TargetHealth, bool) {
	if h.Group == "" {
		targets := view.LoadBalancers[h.LoadBalancer].Targets
		i := slices.IndexFunc(targets, func(t simcloud.Target) bool { return t.Key() == h.Instance })
		if i < 0 {
			return "", false
		}
		return targets[i].Health, true
	}
	targets := view.TargetGroups[h.Group].Targets
	i := slices.IndexFunc(targets, func(t simcloud.GroupTarget) bool { return t.Key() == h.Instance && t.Port == h.Port })
	if i < 0 {
		return "", false
	}
	return targets[i].Health, true
}
