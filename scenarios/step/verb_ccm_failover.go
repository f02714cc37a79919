package step

import (
	"context"
	"errors"
	"fmt"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// defaultLease is the name of the Lease by which CCMs elect their leader, unless they are told another.
const defaultLease = "cloud-controller-manager"

// LeaderMetric is 1 in the metrics of a replica that leads. Those that import the metrics of leader election from
// k8s.io/component-base have it; OpenStack's CCM has not.
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
	holder := leaseIn(st.Store.Snapshot(), f.lease).holder
	if holder == "" {
		return simcloud.Errorf(simcloud.Conflict, "ccm", "the lease %s has no holder: the flags of the CCM must turn leader election on", f.lease)
	}
	leader, standby, err := f.leader(ctx, st)
	if err != nil {
		return err
	}
	end := &CCMProcess{Do: f.how, Standby: standby}
	if err := end.act(ctx, st, leader); err != nil {
		return fmt.Errorf("%s the leader: %w", f.how, err)
	}
	st.SyncCCM()
	var next lease
	err = st.Until(ctx, observe.FromCluster, func(s *observe.Snapshot) bool {
		next = leaseIn(s, f.lease)
		return next.holder != "" && next.holder != holder
	})
	if err != nil {
		return fmt.Errorf("the other replica did not take the lease %s, which %s holds: %w", f.lease, next.holder, err)
	}
	st.leads(f.lease, next, !standby)
	return nil
}

// leader is the replica that leads: the one whose metrics report it. Some CCMs serve no metric of that: then the lease tells.
func (f *CCMFailover) leader(ctx context.Context, st *Stage) (leader CCM, standby bool, err error) {
	served := false
	for _, standby := range []bool{false, true} {
		_, page, err := st.replica(standby).Get(ctx, "/metrics")
		if errors.Is(err, simcloud.Unimplemented) { // in simulated time
			return f.leaderByLease(ctx, st)
		}
		if err != nil {
			return nil, false, fmt.Errorf("ask a replica whether it leads: %w", err)
		}
		labels := map[string]string{"name": f.lease}
		if expr.SumOfMetric(string(page), LeaderMetric, labels) > 0 {
			return st.replica(standby), standby, nil
		}
		served = served || expr.HasMetric(string(page), LeaderMetric, labels)
	}
	if served {
		return nil, false, simcloud.Errorf(simcloud.Conflict, "ccm", "no replica says in its /metrics, by %s, that it leads", LeaderMetric)
	}
	return f.leaderByLease(ctx, st)
}

// leaderByLease is the replica that was known to hold the lease, if that holder renews it still.
func (f *CCMFailover) leaderByLease(ctx context.Context, st *Stage) (leader CCM, standby bool, err error) {
	known, ok := st.leaders[f.lease]
	if !ok {
		return nil, false, simcloud.Errorf(simcloud.Conflict, "ccm",
			"no replica has %s in its /metrics, and the lease %s had no holder when the standby started: wait until the CCM leads, and start the standby then", LeaderMetric, f.lease)
	}
	var now lease
	err = st.Until(ctx, observe.FromCluster, func(s *observe.Snapshot) bool {
		now = leaseIn(s, f.lease)
		return now != known.lease
	})
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("%s, which held the lease %s when the standby started, does not renew it: %w", known.holder, f.lease, err)
	case now.holder != known.holder:
		return nil, false, simcloud.Errorf(simcloud.Conflict, "ccm",
			"no replica has %s in its /metrics, and the lease %s went from %s to %s: it cannot be told whose that is; start the standby when the CCM leads, and restart neither", LeaderMetric, f.lease, known.holder, now.holder)
	}
	return st.replica(known.standby), known.standby, nil
}

// lease is who holds a Lease, and when that one has renewed it.
type lease struct{ holder, renewed string }

func leaseIn(s *observe.Snapshot, name string) lease {
	text := func(field string) string {
		value, _ := observe.Dig(s.Objects["leases"][name], "spec", field).(string)
		return value
	}
	return lease{text("holderIdentity"), text("renewTime")}
}

// leads notes which replica holds a lease.
func (st *Stage) leads(name string, now lease, standby bool) {
	if st.leaders == nil {
		st.leaders = map[string]leadership{}
	}
	st.leaders[name] = leadership{now, standby}
}

// leadership is a lease with the replica that held it then.
type leadership struct {
	lease
	standby bool
}

// leadsAlone notes that each lease that is held is held by the CCM itself: there is no standby yet.
func (st *Stage) leadsAlone() {
	st.leaders = nil
	s := st.Store.Snapshot()
	for name := range s.Objects["leases"] {
		if now := leaseIn(s, name); now.holder != "" {
			st.leads(name, now, false)
		}
	}
}

// replica is the standby of the CCM, or the CCM.
func (st *Stage) replica(standby bool) CCM {
	if standby {
		return st.Standby
	}
	return st.CCM
}
