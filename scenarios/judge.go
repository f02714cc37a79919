package scenarios

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// seen is a stage as oracles see it.
type seen struct{ st *stage }

// View shows the world as it is. Until look returns, no observer hears of a change.
func (r seen) View(look func(now *observe.Snapshot)) { r.st.store.View(look) }

// Sync brings the snapshot up to date with the cloud and the CCM.
func (r seen) Sync(ctx context.Context) error { return r.st.sync(ctx) }

// Until waits for a snapshot that fulfils a condition, of those in which this part has changed.
func (r seen) Until(ctx context.Context, part observe.Source, fulfilled func(*observe.Snapshot) bool) error {
	return r.st.until(ctx, part, fulfilled)
}

// Start is when the scenario began.
func (r seen) Start() time.Time { return r.st.store.Start }

// Since is a time in seconds since the scenario began.
func (r seen) Since(t time.Time) float64 { return r.st.store.Since(t) }

// When says how long after the scenario's begin a time was.
func (r seen) When(t time.Time) string { return words.Rounded(t.Sub(r.st.store.Start)).String() }

// Patience is how long something may take on this machine.
func (r seen) Patience(d time.Duration) time.Duration { return r.st.patience(d) }

// Acts are the verbs of the steps that have acted.
func (r seen) Acts() []string {
	var verbs []string
	for _, a := range r.st.acts {
		verbs = append(verbs, a.verb)
	}
	return verbs
}

// LastAct is when the last step that acts had ended; the scenario's begin when none has.
func (r seen) LastAct() time.Time {
	if len(r.st.acts) == 0 {
		return r.st.store.Start
	}
	return r.st.acts[len(r.st.acts)-1].to
}

// ActedBetween reports whether a step that acts began in a time.
func (r seen) ActedBetween(from, to time.Time) bool {
	return slices.ContainsFunc(r.st.acts, func(a act) bool { return a.from.After(from) && a.from.Before(to) })
}

// Reconfigured is when a step has last changed the CCM's settings.
func (r seen) Reconfigured() time.Time { return r.st.reconfigured }

// Deleted reports whether a step has deleted the object with the UID.
func (r seen) Deleted(uid string) bool { return slices.Contains(r.st.deleted, uid) }

// Forbidden reports whether the CCM lacks rights of its role.
func (r seen) Forbidden() bool { return r.st.forbidden }

// CCM is the CCM under test.
func (r seen) CCM() Replica { return r.st.CCM }

// Standby is its second replica; nil when there is none.
func (r seen) Standby() Replica {
	if r.st.Standby == nil {
		return nil
	}
	return r.st.Standby
}

// givenOf is what oracles know of a scenario and its world when they are made.
func givenOf(w World, s *Scenario) given {
	return given{Patience: w.patience, Logs: w.Logs, Secrets: w.Secrets, Budget: s.Budget, PodRanges: strings.Split(e2e.ClusterCIDR, ",")}
}
