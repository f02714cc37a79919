package run

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/oracle"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// seen is a stage as oracles see it.
type seen struct{ st *step.Stage }

// View shows the world as it is. Until look returns, no observer hears of a change.
func (r seen) View(look func(now *observe.Snapshot)) { r.st.Store.View(look) }

// Sync brings the snapshot up to date with the cloud and the CCM.
func (r seen) Sync(ctx context.Context) error { return r.st.Sync(ctx) }

// Until waits for a snapshot that fulfils a condition, of those in which this part has changed.
func (r seen) Until(ctx context.Context, part observe.Source, fulfilled func(*observe.Snapshot) bool) error {
	return r.st.Until(ctx, part, fulfilled)
}

// Start is when the scenario began.
func (r seen) Start() time.Time { return r.st.Store.Start }

// Since is a time in seconds since the scenario began.
func (r seen) Since(t time.Time) float64 { return r.st.Store.Since(t) }

// When says how long after the scenario's begin a time was.
func (r seen) When(t time.Time) string { return words.Rounded(t.Sub(r.st.Store.Start)).String() }

// Patience is how long something may take on this machine.
func (r seen) Patience(d time.Duration) time.Duration { return r.st.Patience(d) }

// Acts are the verbs of the steps that have acted.
func (r seen) Acts() []string {
	var verbs []string
	for _, a := range r.st.Acts {
		verbs = append(verbs, a.Verb)
	}
	return verbs
}

// LastAct is when the last step that acts had ended; the scenario's begin when none has.
func (r seen) LastAct() time.Time {
	if len(r.st.Acts) == 0 {
		return r.st.Store.Start
	}
	return r.st.Acts[len(r.st.Acts)-1].To
}

// ActedBetween reports whether a step that acts began in a time. In simulated time what follows from it may happen at the same moment.
func (r seen) ActedBetween(from, to time.Time) bool {
	return slices.ContainsFunc(r.st.Acts, func(a step.Act) bool { return a.From.After(from) && !a.From.After(to) })
}

// Reconfigured is when a step has last changed the CCM's settings.
func (r seen) Reconfigured() time.Time { return r.st.Reconfigured }

// Deleted reports whether a step has deleted the object with the UID.
func (r seen) Deleted(uid string) bool { return slices.Contains(r.st.Deleted, uid) }

// Forbidden reports whether the CCM lacks rights of its role.
func (r seen) Forbidden() bool { return r.st.Forbidden }

// CCM is the CCM under test.
func (r seen) CCM() oracle.Replica { return r.st.CCM }

// Standby is its second replica; nil when there is none.
func (r seen) Standby() oracle.Replica {
	if r.st.Standby == nil {
		return nil
	}
	return r.st.Standby
}

// givenOf is what oracles know of a scenario and its world when they are made.
func givenOf(w step.World, s *scenarios.Scenario) oracle.Given {
	return oracle.Given{IDs: w.Naming.IDs, Patience: w.Patience, Logs: w.Logs, Secrets: w.Secrets, Budget: s.Budget, Writes: w.Writes, PodRanges: strings.Split(e2e.ClusterCIDR, ",")}
}
