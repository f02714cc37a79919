package step

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// defaultLease is the name of the Lease by which CCMs elect their leader, unless they are told another.
const defaultLease = "cloud-controller-manager"

// LeaderMetric is 1 in the metrics of a replica that leads: all that use k8s.io/component-base have it.
const LeaderMetric = "leader_election_master_status"

// CCMFailover takes the lead from the replica that has it, and waits until the other one leads.
type CCMFailover struct{ how, lease string }

func isFailover(form ccmForm) bool {
	_, ok := form.(*CCMFailover)
	return ok
}

// Text says in one line what the step does.
func (f *CCMFailover) Text() string { return "failover " + f.how }

func (f *CCMFailover) run(ctx context.Context, st *Stage) error {
	if err := f.failOver(ctx, st); err != nil {
		return fmt.Errorf("failover of the CCM: %w", err)
	}
	return nil
}

func (f *CCMFailover) failOver(ctx context.Context, st *Stage) error {
	if !st.CCM.Running() || !st.Standby.Running() {
		return simcloud.Errorf(simcloud.Conflict, "ccm", "both replicas must run: ccm: {standby: start} starts the second one")
	}
	holder := holderOf(st.Store.Snapshot(), f.lease)
	if holder == "" {
		return simcloud.Errorf(simcloud.Conflict, "ccm", "the lease %s has no holder: the flags of the CCM must turn leader election on", f.lease)
	}
	leader, standby, err := f.leader(ctx, st, holder)
	if err != nil {
		return err
	}
	end := &CCMProcess{Do: f.how, Standby: standby}
	if err := end.act(ctx, st, leader); err != nil {
		return fmt.Errorf("%s the leader: %w", f.how, err)
	}
	st.SyncCCM()
	err = st.Until(ctx, observe.FromCluster, func(s *observe.Snapshot) bool {
		now := holderOf(s, f.lease)
		return now != "" && now != holder
	})
	if err != nil {
		return fmt.Errorf("the other replica did not take the lease %s, which %s holds: %w", f.lease, holderOf(st.Store.Snapshot(), f.lease), err)
	}
	return nil
}

// leader is the replica that leads: the one whose metrics report it. Some CCMs serve no metric of that. Then it is
// the CCM itself, if the lease is still held by whom held it before there was a standby.
func (f *CCMFailover) leader(ctx context.Context, st *Stage, holder string) (leader CCM, standby bool, err error) {
	for _, replica := range []struct {
		CCM
		standby bool
	}{{st.CCM, false}, {st.Standby, true}} {
		_, page, err := replica.Get(ctx, "/metrics")
		if err != nil {
			return nil, false, fmt.Errorf("ask a replica whether it leads: %w", err)
		}
		if expr.SumOfMetric(string(page), LeaderMetric, map[string]string{"name": f.lease}) > 0 {
			return replica.CCM, replica.standby, nil
		}
	}
	switch before := st.heldAlone[f.lease]; before {
	case "":
		return nil, false, simcloud.Errorf(simcloud.Conflict, "ccm",
			"no replica says in its /metrics, by %s, that it leads, and the lease %s had no holder when the standby started: wait until the CCM leads, and start the standby then", LeaderMetric, f.lease)
	case holder:
		return st.CCM, false, nil
	default:
		return nil, false, simcloud.Errorf(simcloud.Conflict, "ccm",
			"no replica says in its /metrics, by %s, that it leads, and the lease %s went from %s to %s since the standby started: it cannot be told whose that is", LeaderMetric, f.lease, before, holder)
	}
}

// holdersOfLeases are who holds each lease.
func holdersOfLeases(s *observe.Snapshot) map[string]string {
	held := map[string]string{}
	for name := range s.Objects["leases"] {
		held[name] = holderOf(s, name)
	}
	return held
}

// holderOf is who holds a lease; empty for none.
func holderOf(s *observe.Snapshot, lease string) string {
	holder, _ := observe.Dig(s.Objects["leases"][lease], "spec", "holderIdentity").(string)
	return holder
}
