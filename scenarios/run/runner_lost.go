package run

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
)

// mostLost is how many clusters may be lost under one scenario: what loses each of them is no accident.
const mostLost = 2

// run1 runs one scenario, once more on another cluster when the one that it ran
// on was lost meanwhile: what it has shown then is nothing of the CCM. It reports whether the slot can go on.
func (s *slot) run1(ctx context.Context, t turn) (result scenarios.Result, usable bool) {
	for lost := 1; ; lost++ {
		result, usable = s.attempt(ctx, t)
		why := s.lost()
		if why == nil || ctx.Err() != nil || report.IsHarmless(result.Status) {
			return result, usable
		}
		if lost == mostLost {
			result.Status, result.Failures = scenarios.Broken, nil
			result.Error = fmt.Sprintf("%d clusters were lost while it ran; the last one: %v", lost, why)
			return result, usable
		}
		s.Reporter.Note(s.n, t.Name+" starts again on another cluster, because its cluster was lost")
	}
}

// lost says how the slot's cluster was lost, if it was.
func (s *slot) lost() error {
	if s.cluster == nil {
		return nil
	}
	return s.cluster.Err()
}

// whileAlive is ctx, which ends too when the slot's cluster is lost.
func (s *slot) whileAlive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	cluster := s.cluster
	go func() {
		select {
		case <-cluster.Done():
			cancel(cluster.Err())
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// replace stops a cluster that cannot be used any more. What it leaves behind
// is told, and does not keep the next one from starting.
func (s *slot) replace(ctx context.Context, why error) {
	s.Reporter.Note(s.n, fmt.Sprintf("the cluster cannot be used again, a new one starts: %v", why))
	s.note(s.close(ctx))
}
