package step

import (
	"slices"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// lookahead collects, from the beginning of a step that acts, the snapshots that the expectation after
// it judges. A CCM may have done something wrong, and repaired it, before that expectation runs.
type lookahead struct {
	expectation *ExpectAction
	before      *observe.Snapshot // the step acts
	since       *observe.Subscription
}

// LookAhead is called before each step, with the steps that follow it.
func (st *Stage) LookAhead(next scenarios.Step, following []scenarios.Step) {
	if capturing(next) || st.Foreseen(next) {
		return
	}
	st.endLookahead()
	a := expectedNext(following)
	if a == nil || effectOf(next.Verb) == syntax.ReadOnly {
		return
	}
	before, since := st.Store.Subscribe(a.sourcesRead())
	st.ahead = &lookahead{a, before, since}
}

// Foreseen reports whether a step judges what has happened since the step before it began.
func (st *Stage) Foreseen(next scenarios.Step) bool {
	return st.ahead != nil && next.Action == st.ahead.expectation
}

// capturing reports whether a step only names values, so that what the step before it caused is judged after it.
func capturing(s scenarios.Step) bool { return s.Verb == captureVerb.Name }

// expectedNext is the expectation that comes next, if it is one about all the time; nil otherwise.
func expectedNext(following []scenarios.Step) *ExpectAction {
	i := slices.IndexFunc(following, func(s scenarios.Step) bool { return !capturing(s) })
	if i < 0 {
		return nil
	}
	a, ok := following[i].Action.(*ExpectAction)
	if !ok || a.Meanwhile == nil && a.mode != holds && a.mode != never {
		return nil
	}
	return a
}

// endLookahead ends what LookAhead began, and returns the snapshots since then.
func (st *Stage) endLookahead() []*observe.Snapshot {
	if st.ahead == nil {
		return nil
	}
	ahead := st.ahead
	st.ahead = nil
	ahead.since.Cancel()
	return append([]*observe.Snapshot{ahead.before}, ahead.since.Take()...)
}

// judgeEarlier judges the snapshots since the step before the expectation began. The first ones may
// show the world as it was before that step: they count from the first one on that is as it must be,
// until the expectation is met. Captured are the values that the expectation reads by name.
func (a *judgement) judgeEarlier(earlier []*observe.Snapshot, captured map[string]any) error {
	began, unmet := false, false
	for i, s := range earlier {
		named := *s
		named.Captured = captured
		met, err := a.judge(&named, i+1)
		switch {
		case err != nil && began:
			return err
		case err != nil:
			continue
		case met && unmet:
			return nil
		}
		began, unmet = true, unmet || !met
	}
	a.decided = false // the time before the step proves nothing
	return nil
}
