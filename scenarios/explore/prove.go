package explore

import (
	"context"
	"sync"
)

// proofs is how often a history has to break the rule in worlds that nothing else has used.
const proofs = 2

// prove goes back to the shortest history that breaks the rule each time: a
// shorter one may do so only when the CCM happens to be quick enough, or slow
// enough. It reports whether there is one, or whether there may be one when it is interrupted.
func (s *shrinker) prove(ctx context.Context) (bool, error) {
	for i := len(s.trail) - 1; i >= 0; i-- {
		s.best, s.found = s.trail[i].history, s.trail[i].how
		if i < len(s.trail)-1 {
			s.progress(s.best)
		}
		if proven, err := s.proven(ctx); err != nil || proven {
			return true, err
		}
	}
	return false, nil
}

// proven runs the best history in new worlds, at as many places at the same time as there are.
func (s *shrinker) proven(ctx context.Context) (bool, error) {
	for done := 0; done < proofs; done += s.places {
		if err := s.renew(ctx); err != nil {
			return false, err
		}
		n := min(s.places, proofs-done)
		found, errs := make([][]violation, n), make([]error, n)
		var group sync.WaitGroup
		for place := range n {
			group.Go(func() { found[place], errs[place] = s.try(ctx, place, s.best) })
		}
		group.Wait()
		for place := range n {
			if errs[place] != nil {
				return false, errs[place]
			}
			if !s.breaks(found[place]) {
				return false, nil
			}
		}
	}
	return true, nil
}

// breaks reports whether the rule is among what a run broke, and keeps how it was.
func (s *shrinker) breaks(all []violation) bool {
	for _, v := range all {
		if v.rule == s.found.rule {
			s.found = v
			return true
		}
	}
	return false
}
