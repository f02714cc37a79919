package explore

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/simcloud-dev/simcloud/scenarios/reduce"
)

// tryFunc runs a history at a place and returns what it broke. Places are used
// at the same time, each by one.
type tryFunc func(ctx context.Context, place int, h History) ([]violation, error)

// shrinker looks for the shortest history that breaks a rule.
type shrinker struct {
	try    tryFunc
	places int
	budget int // how many histories may still be run
	tried  map[string]bool
	// best breaks the rule of found, and that is how it does.
	best  History
	found violation
	runs  int
	// hurried is whether the promise that is broken has less time.
	hurried bool
	// trail are the histories that have broken it, the shortest last.
	trail []shorter
	// progress receives each shorter history.
	progress func(History)
	// renew lets the places have new worlds.
	renew func(ctx context.Context) error
}

// shorter is a shorter history, and how it breaks the rule.
type shorter struct {
	history History
	how     violation
}

// shrink runs shorter and simpler histories until none breaks the rule, or the
// budget is spent. It reports whether there is one that can be relied on to break it.
func (s *shrinker) shrink(ctx context.Context) (again bool, err error) {
	s.tried = map[string]bool{}
	if again, err = s.confirm(ctx); err != nil || !again {
		return again, err
	}
	if s.found.step >= 0 && fullTime(s.found.rule) > 0 {
		if proven, err := s.hurry(ctx); err != nil || proven {
			return true, err
		}
	}
	if err := s.shorten(ctx); err != nil {
		return true, err
	}
	return s.prove(ctx)
}

// shorten looks for the shortest history that breaks the rule once.
func (s *shrinker) shorten(ctx context.Context) error {
	for better := true; better; {
		better = false
		for _, phase := range []func(context.Context) (bool, error){s.earlier, s.concerns, s.single, s.simpler} {
			found, err := phase(ctx)
			if err != nil {
				return err
			}
			better = better || found
		}
	}
	return nil
}

// reruns is how often a history may fail to break the rule again before it is taken for a race.
const reruns = 3

// confirm runs the history again, first without what came after the step that failed, on which it cannot depend.
func (s *shrinker) confirm(ctx context.Context) (bool, error) {
	for _, h := range slices.Concat([]History{s.cut(s.best)}, slices.Repeat([]History{s.best}, reruns-1)) {
		delete(s.tried, keyOf(h))
		if i, err := s.first(ctx, []History{h}); err != nil || i >= 0 {
			return i >= 0, err
		}
	}
	return false, nil
}

// cut leaves out what comes after the step that failed.
func (s *shrinker) cut(h History) History {
	if at := s.found.step; at >= 0 {
		if ops := h.write(title{}).ops; at < len(ops) {
			return History{Nodes: h.Nodes, Ops: h.Ops[:ops[at]+1]}
		}
	}
	return h
}

// earlier leaves out what comes later, as much as can be: an oracle does not
// say which op it was after which all was lost.
func (s *shrinker) earlier(ctx context.Context) (better bool, err error) {
	low, high := 0, len(s.best.Ops) // it takes more than low ops, and at most high
	for high-low > 1 {
		var batch []History
		for part := range s.places {
			if n := low + (high-low)*(part+1)/(s.places+1); n > low {
				batch = append(batch, History{Nodes: s.best.Nodes, Ops: s.best.Ops[:n]})
			}
		}
		i, err := s.first(ctx, batch)
		switch {
		case err != nil:
			return better, err
		case i < 0:
			low = len(batch[len(batch)-1].Ops)
		default:
			better, high = true, len(s.best.Ops)
			if i > 0 {
				low = len(batch[i-1].Ops)
			}
		}
	}
	return better, nil
}

// concerns leaves out all ops that are about the same, those first that are many.
func (s *shrinker) concerns(ctx context.Context) (bool, error) {
	return minimize(ctx, s, concernsOf(s.best), func(kept []string) History {
		return s.best.without(func(_ int, op Op) bool { return !slices.Contains(kept, op.about()) })
	})
}

// concernsOf lists what a history is about.
func concernsOf(h History) []string {
	count := map[string]int{}
	var names []string
	for _, op := range h.Ops {
		if count[op.about()]++; count[op.about()] == 1 {
			names = append(names, op.about())
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	return names
}

// single leaves out one op after the other, from the last one on: what depends
// on an op comes after it.
func (s *shrinker) single(ctx context.Context) (bool, error) {
	h := s.best
	places := make([]int, len(h.Ops))
	for i := range places {
		places[i] = len(places) - 1 - i
	}
	return minimize(ctx, s, places, func(kept []int) History {
		return h.without(func(i int, _ Op) bool { return !slices.Contains(kept, i) })
	})
}

// minimize leaves out one part of a history after the other, as many at the same time as there are places.
// What a part is the caller knows: history makes one of those that are kept.
func minimize[T any](ctx context.Context, s *shrinker, parts []T, history func(kept []T) History) (better bool, err error) {
	m := reduce.Minimizer[T]{Items: parts, Size: 1}
	for lists := m.Next(s.places); len(lists) > 0; lists = m.Next(s.places) {
		var batch []History
		for _, kept := range lists {
			h := history(kept)
			if len(h.Ops) >= len(s.best.Ops) {
				h = History{} // the part went with another one: this is not worthwhile
			}
			batch = append(batch, h)
		}
		i, err := s.first(ctx, batch)
		if err != nil {
			return better, err
		}
		m.Tell(i)
		better = better || i >= 0
	}
	return better, nil
}

// simpler puts fewer nodes and simpler ops in the place of what there is.
func (s *shrinker) simpler(ctx context.Context) (better bool, err error) {
	for {
		var all []History
		for n := range s.best.Nodes {
			all = append(all, History{Nodes: n, Ops: s.best.Ops}.legal())
		}
		for i, op := range s.best.Ops {
			for _, simpler := range op.simpler() {
				ops := slices.Clone(s.best.Ops)
				ops[i] = simpler
				all = append(all, History{Nodes: s.best.Nodes, Ops: ops}.legal())
			}
		}
		i, err := s.first(ctx, all)
		if err != nil || i < 0 {
			return better, err
		}
		better = true
	}
}

// first runs histories, as many at the same time as there are places, until
// one breaks the rule: that is the best one from now on. It returns its index, or -1.
func (s *shrinker) first(ctx context.Context, all []History) (int, error) {
	var batch []int
	for i, h := range all {
		if s.worthwhile(h) {
			batch = append(batch, i)
		}
		if len(batch) == s.places || i == len(all)-1 {
			found, err := s.firstOf(ctx, all, batch)
			if err != nil || found >= 0 {
				return found, err
			}
			batch = nil
		}
	}
	return -1, nil
}

// worthwhile reports whether a history can break the rule and was not run yet.
func (s *shrinker) worthwhile(h History) bool {
	key := keyOf(h)
	n := len(h.Ops)
	if s.budget == 0 || s.tried[key] || n == 0 {
		return false
	}
	if failed := s.cut(s.best).Ops; s.found.step >= 0 && h.Ops[n-1] != failed[len(failed)-1] && !slices.Contains(h.Ops, failed[len(failed)-1]) {
		return false // the op that failed is not in it
	}
	s.tried[key] = true
	s.budget--
	s.runs++
	return true
}

// firstOf runs a batch at the same time.
func (s *shrinker) firstOf(ctx context.Context, all []History, batch []int) (int, error) {
	found, errs := make([][]violation, len(batch)), make([]error, len(batch))
	var group sync.WaitGroup
	for place, i := range batch {
		group.Go(func() { found[place], errs[place] = s.try(ctx, place, all[i]) })
	}
	group.Wait()
	for place, i := range batch {
		if errs[place] != nil {
			return -1, errs[place]
		}
		if s.breaks(found[place]) {
			s.best = s.cut(all[i])
			s.trail = append(s.trail, shorter{s.best, s.found})
			s.progress(s.best)
			return i, nil
		}
	}
	return -1, nil
}
