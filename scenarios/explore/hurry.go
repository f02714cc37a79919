package explore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// share is which part of its time a promise has while a history is shrunk.
const share = 3

// fullTime is how long a CCM may take to keep the promise of a rule; 0 for a rule that waits for nothing.
func fullTime(rule string) time.Duration {
	all := promises()
	i := slices.IndexFunc(all, func(p promise) bool { return p.because == rule })
	if i < 0 {
		return 0
	}
	d, err := time.ParseDuration(all[i].part.patience())
	if err != nil {
		panic(fmt.Sprintf("the time of %s: %v", all[i].part, err))
	}
	return d
}

// hurried gives the promise of a rule less time: a third, or twice the longest that a CCM has taken to keep
// it in this exploration, so that slow is not taken for never. A history that breaks the promise takes all of it.
func (x *exploration) hurried(s *scenarios.Scenario, rule string) *scenarios.Scenario {
	x.mu.Lock()
	most := max(fullTime(rule)/share, 2*x.slowest[rule])
	x.mu.Unlock()
	sooner := *s
	sooner.Steps = step.HurriedFor(s, most, rule).Steps
	return &sooner
}

// learn keeps how long it took until promises were kept.
func (x *exploration) learn(s *scenarios.Scenario, r scenarios.Result) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.slowest == nil {
		x.slowest = map[string]time.Duration{}
	}
	for i, result := range r.Steps {
		if result.Finally || !result.Passed || i >= len(s.Steps) || fullTime(s.Steps[i].Because) == 0 {
			continue
		}
		rule := s.Steps[i].Because
		x.slowest[rule] = max(x.slowest[rule], time.Duration(result.Seconds*float64(time.Second)))
	}
}

// hurry shortens the history with less time for the promise that it breaks, and proves what it finds
// with the full time. What is not proven so is taken back.
func (s *shrinker) hurry(ctx context.Context) (proven bool, err error) {
	s.hurried = true
	err = s.shorten(ctx)
	s.hurried = false
	if err == nil {
		proven, err = s.proven(ctx)
	}
	if err != nil || proven {
		return proven, err
	}
	for _, guess := range s.trail[1:] {
		delete(s.tried, keyOf(guess.history))
	}
	s.trail = s.trail[:1]
	s.best, s.found = s.trail[0].history, s.trail[0].how
	s.progress(s.best)
	return false, nil
}

// keyOf tells histories apart.
func keyOf(h History) string { return string(h.write(title{}).text) }
