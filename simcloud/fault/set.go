package fault

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Config is what the rules of a cloud depend on.
type Config struct {
	// Seed is what the dice are thrown by.
	Seed uint64
	// Now is the cloud's clock.
	Now func() time.Time
	// Lookup answers rules that ask for a resource.
	Lookup Lookup
}

// Set is the fault rules of one cloud. Its methods may be called by many goroutines.
type Set struct {
	Config

	// rules is nil while there are none: that is all that a call asks for then.
	// The slice is never changed, only replaced, with mu held.
	rules atomic.Pointer[[]*active]

	mu      sync.Mutex // guards what follows, and the counts of the rules
	last    uint64     // the number of the youngest rule
	locks   map[lockKey]held
	sweepAt int // how many locks there are when those that are over go
}

// active is a rule that has been added.
type active struct {
	rule    Rule // its counts are guarded by Set.mu
	matcher matcher
	effect  named
	caught  *caught
}

var _ API = (*Set)(nil)

// New returns a cloud's rules, of which there are none yet.
func New(cfg Config) *Set {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Lookup == nil {
		cfg.Lookup = func(context.Context, simcloud.Kind, simcloud.ID) (Subject, bool) { return Subject{}, false }
	}
	return &Set{Config: cfg, locks: map[lockKey]held{}, sweepAt: minSweep}
}

// Reseed lets the dice be thrown by another seed from now on.
func (s *Set) Reseed(seed uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Seed = seed
}

// all returns the rules, oldest first.
func (s *Set) all() []*active {
	if rules := s.rules.Load(); rules != nil {
		return *rules
	}
	return nil
}

func (s *Set) replace(rules []*active) {
	if len(rules) == 0 {
		s.rules.Store(nil)
		return
	}
	s.rules.Store(&rules)
}

// ListFaults returns all rules, oldest first.
func (s *Set) ListFaults(ctx context.Context) ([]Rule, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var rules []Rule
	for _, a := range s.all() {
		rules = append(rules, a.rule.clone())
	}
	return rules, nil
}

// GetFault returns one rule.
func (s *Set) GetFault(ctx context.Context, id simcloud.ID) (Rule, error) {
	if err := ctx.Err(); err != nil {
		return Rule{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(id)
	if err != nil {
		return Rule{}, err
	}
	return s.all()[i].rule.clone(), nil
}

// find returns the place of a rule by its id or name. mu is held.
func (s *Set) find(id simcloud.ID) (int, error) {
	i := slices.IndexFunc(s.all(), func(a *active) bool { return a.rule.ID == id || a.rule.Name == string(id) && id != "" })
	if i < 0 {
		return 0, simcloud.Errorf(simcloud.NotFound, "fault/"+string(id), "no fault rule has this id or name")
	}
	return i, nil
}

// AddFault puts the rule behind those that are there.
func (s *Set) AddFault(ctx context.Context, rule Rule) (Rule, error) {
	if err := ctx.Err(); err != nil {
		return Rule{}, err
	}
	if err := rule.Validate(); err != nil {
		return Rule{}, err
	}
	a, err := newActive(rule.clone())
	if err != nil {
		return Rule{}, err
	}
	added := s.Now() // not with mu held: it may read the cloud
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.room(rule.Name); err != nil {
		return Rule{}, err
	}
	s.last++
	a.rule.ID, a.rule.Added = simcloud.ID("fault-"+strconv.FormatUint(s.last, 10)), added
	s.replace(append(slices.Clone(s.all()), a))
	return a.rule.clone(), nil
}

func newActive(rule Rule) (*active, error) {
	effect, _ := rule.Effect.one()
	m, err := newMatcher(rule, fitting(effect, chosen(rule.Match.Operation)))
	return &active{rule: rule, matcher: m, effect: effect, caught: newCaught()}, err
}

// room reports why no rule of that name can be added. mu is held.
func (s *Set) room(name string) error {
	if _, err := s.find(simcloud.ID(name)); name != "" && err == nil {
		return simcloud.Errorf(simcloud.AlreadyExists, "fault/"+name, "another fault rule has this name")
	}
	if len(s.all()) >= MaxRules {
		return simcloud.Errorf(simcloud.Capacity, "fault", "there are %d fault rules: delete some first", MaxRules)
	}
	return nil
}

// DeleteFault ends the rule and the locks that it holds.
func (s *Set) DeleteFault(ctx context.Context, id simcloud.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(id)
	if err != nil {
		return err
	}
	s.unlock(s.all()[i].rule.ID)
	s.replace(slices.Delete(slices.Clone(s.all()), i, i+1))
	return nil
}

// ClearFaults ends all rules. Ids begin again, and so do the dice that follow
// from them: what comes after does not depend on what was before.
func (s *Set) ClearFaults(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.locks)
	s.replace(nil)
	s.last = 0
	return nil
}

// clone returns a copy that shares nothing with the rule.
func (r Rule) clone() Rule {
	r.Effect = r.Effect.clone()
	return r
}
