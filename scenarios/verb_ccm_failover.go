package scenarios

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// failoverVerbs are the ways in which a leader can cease to lead.
var failoverVerbs = []string{"kill", "pause", "stop"}

// defaultLease is the name of the Lease by which CCMs elect their leader, unless they are told another.
const defaultLease = "cloud-controller-manager"

// leaderMetric is 1 in the metrics of a replica that leads: all that use k8s.io/component-base have it.
const leaderMetric = "leader_election_master_status"

// ccmFailover takes the lead from the replica that has it, and waits until the other one leads.
type ccmFailover struct{ how, lease string }

func isFailover(form ccmForm) bool {
	_, ok := form.(*ccmFailover)
	return ok
}

func (f *ccmFailover) text() string { return "failover " + f.how }

func (f *ccmFailover) run(ctx context.Context, st *stage) error {
	if err := f.failOver(ctx, st); err != nil {
		return fmt.Errorf("failover of the CCM: %w", err)
	}
	return nil
}

func (f *ccmFailover) failOver(ctx context.Context, st *stage) error {
	if !st.CCM.Running() || !st.Standby.Running() {
		return simcloud.Errorf(simcloud.Conflict, "ccm", "both replicas must run: ccm: {standby: start} starts the second one")
	}
	holder := f.holder(st.store.Snapshot())
	if holder == "" {
		return simcloud.Errorf(simcloud.Conflict, "ccm", "nobody holds the lease %s: flags of the CCM must let it elect a leader", f.lease)
	}
	leader, standby, err := f.leader(ctx, st)
	if err != nil {
		return err
	}
	end := &ccmProcess{do: f.how, standby: standby}
	if err := end.act(ctx, st, leader); err != nil {
		return fmt.Errorf("%s the leader: %w", f.how, err)
	}
	st.syncCCM()
	err = st.until(ctx, observe.FromCluster, func(s *observe.Snapshot) bool {
		now := f.holder(s)
		return now != "" && now != holder
	})
	if err != nil {
		return fmt.Errorf("the other replica did not take the lease %s, which %s holds: %w", f.lease, f.holder(st.store.Snapshot()), err)
	}
	return nil
}

// holder is who holds the lease; empty for nobody.
func (f *ccmFailover) holder(s *observe.Snapshot) string {
	holder, _ := observe.Dig(s.Objects["leases"][f.lease], "spec", "holderIdentity").(string)
	return holder
}

// leader asks the replicas which of them leads.
func (f *ccmFailover) leader(ctx context.Context, st *stage) (leader CCM, standby bool, err error) {
	for _, replica := range []struct {
		CCM
		standby bool
	}{{st.CCM, false}, {st.Standby, true}} {
		_, page, err := replica.Get(ctx, "/metrics")
		if err != nil {
			return nil, false, fmt.Errorf("ask a replica whether it leads: %w", err)
		}
		if expr.SumOfMetric(string(page), leaderMetric, map[string]string{"name": f.lease}) > 0 {
			return replica.CCM, replica.standby, nil
		}
	}
	return nil, false, simcloud.Errorf(simcloud.Conflict, "ccm", "no replica says in its /metrics, by %s, that it leads", leaderMetric)
}
