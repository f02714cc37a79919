package fault

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Any reports whether there are rules at all.
func (s *Set) Any() bool { return s.rules.Load() != nil }

// Pick counts the call for all rules that match it and returns the fault of the
// oldest one that fires; nil when none does.
func (s *Set) Pick(ctx context.Context, c *Call) *Hit {
	rules := s.rules.Load()
	if rules == nil {
		return nil
	}
	about := s.newAbout(ctx, c)
	if hit := s.busyWith(about); hit != nil {
		return hit
	}
	matching := matching(*rules, about)
	if len(matching) == 0 {
		return nil
	}
	now := s.now(matching)
	s.mu.Lock()
	defer s.mu.Unlock()
	var hit *Hit
	for _, m := range matching {
		dice, fires := m.rule.count(s.Seed, now)
		if fires && hit == nil {
			hit = m.rule.fire(s, m.call, dice)
		}
	}
	return hit
}

// match is a rule that matches a call, as one about the resource by which it does.
type match struct {
	rule *active
	call *Call
}

// matching returns the rules that match.
func matching(rules []*active, about about) []match {
	var matching []match
	for _, a := range rules {
		if call := about.matched(&a.matcher); call != nil {
			matching = append(matching, match{a, call})
		}
	}
	return matching
}

// subject finds what the call is about; lists are about no resource.
func (s *Set) subject(ctx context.Context, c *Call) (Subject, bool) {
	switch {
	case c.Resource != "":
		return s.Lookup(ctx, c.Endpoint.Kind(), c.Resource)
	case c.Endpoint.Creates() && c.Subject != nil:
		return c.Subject(), true
	default:
		return Subject{}, false
	}
}

// now reads the clock when a rule asks for it.
func (s *Set) now(rules []match) time.Time {
	for _, m := range rules {
		a := m.rule
		if a.rule.When.After != 0 || a.rule.When.Until != 0 {
			return s.Now()
		}
	}
	return time.Time{}
}

// count counts a call that matches, and reports whether the rule fires at it.
// The dice of a call depend on nothing but the seed, the rule and the number of the call.
func (a *active) count(seed uint64, now time.Time) (*rand.Rand, bool) {
	when := a.rule.When
	since := now.Sub(a.rule.Added)
	if when.After != 0 && since < time.Duration(when.After) || when.Until != 0 && since >= time.Duration(when.Until) {
		return nil, false
	}
	a.rule.Calls++
	counted := a.rule.Calls - min(when.Skip, a.rule.Calls)
	if counted == 0 || when.Every > 1 && counted%when.Every != 0 || a.spent() {
		return nil, false
	}
	dice := rand.New(rand.NewPCG(seed, number(a.rule.ID)^a.rule.Calls))
	likely := dice.Float64() < when.Probability || when.Probability == 0
	return dice, likely
}

// spent reports whether the rule has fired as often as it may.
func (a *active) spent() bool {
	steps := a.rule.Effect.Sequence
	return a.rule.When.Times != 0 && a.rule.Hits >= a.rule.When.Times || steps != nil && a.rule.Hits >= uint64(len(*steps))
}

// number makes one of a rule's id.
func number(id simcloud.ID) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	return h.Sum64()
}

// fire counts a hit and returns what is to happen.
func (a *active) fire(s *Set, c *Call, dice *rand.Rand) *Hit {
	effect := a.effect
	if steps := a.rule.Effect.Sequence; steps != nil {
		effect, _ = (*steps)[a.rule.Hits].one()
	}
	a.rule.Hits++
	return &Hit{Fault: a.rule.ID, Effect: effect.name, name: a.rule.Name, effect: effect.effect, call: c, set: s, dice: dice, caught: a.caught}
}
