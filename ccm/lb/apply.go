package lb

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Whether steps are refused once another client has changed the load balancer.
// They are where others are at work too, and where a step that the cloud carries
// out late would meet a load balancer that is no longer ours to change.
const (
	guarded   = true
	unguarded = false
)

// maxRounds is how often a plan is made again because another client is at work.
const maxRounds = 4

// converge carries out what planned says, and returns the load balancer as it
// is then. When another client has changed it meanwhile, it plans once more.
func (l *Balancers) converge(ctx context.Context, svc *v1.Service, lb simcloud.LoadBalancer, guard bool,
	planned func(simcloud.LoadBalancer) ([]step, error),
) (simcloud.LoadBalancer, error) {
	for round := 1; ; round++ {
		steps, problem := planned(lb)
		if len(steps) == 0 {
			return lb, problem
		}
		after, err := l.apply(ctx, svc, lb, guard, steps)
		if err == nil {
			return after, problem
		}
		if round == maxRounds || !call.ChangedMeanwhile(err) {
			return after, err
		}
		if lb, err = l.get(ctx, lb.ID); err != nil {
			return lb, err
		}
	}
}

// apply takes the steps in turn. One that the cloud does not take does not stop
// the rest, unless something could not be found again then; a target that
// does not exist is reported by an Event alone, because the Nodes will soon follow.
func (l *Balancers) apply(ctx context.Context, svc *v1.Service, lb simcloud.LoadBalancer, guard bool, steps []step) (simcloud.LoadBalancer, error) {
	var problems []error
	for _, s := range steps {
		if s.updatesUsers && len(problems) > 0 {
			break
		}
		var opts []simcloud.CallOption
		if guard {
			opts = append(opts, simcloud.IfVersion(lb.Version))
		}
		next, err := s.do(ctx, l.api, opts...)
		switch {
		case err == nil && next.ID != "":
			lb = next
		case err == nil:
		case s.target != "" && (errors.Is(err, simcloud.Invalid) || errors.Is(err, simcloud.Capacity)):
			l.skipTarget(svc, s.target, err)
		case call.Unfit(err) && !s.updatesUsers:
			problems = append(problems, fmt.Errorf("load balancer %s: %s: %w", lb.ID, s.does, err))
		default:
			if guard && !call.Refused(err) {
				l.inFlight.note(svc.UID, l.deps.Now())
			}
			return lb, errors.Join(append(problems, fmt.Errorf("load balancer %s: %s: %w", lb.ID, s.does, err))...)
		}
	}
	return lb, errors.Join(problems...)
}
