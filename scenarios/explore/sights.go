package explore

// sights are what the histories of an exploration have shown by now.
type sights struct {
	// seen is how often each feature was shown: 0 for what the corpus has from before.
	seen map[feature]int
	// code is how much of the CCM's code has run.
	code float64
}

// moreCode is the feature of a history in which code of the CCM ran that none before it had reached.
const moreCode feature = "code that no history before it reached"

// add takes in what a history has shown, and returns what of it is new.
func (s *sights) add(shown []feature) (fresh []feature) {
	if s.seen == nil {
		s.seen = map[feature]int{}
	}
	for _, f := range shown {
		if _, old := s.seen[f]; !old {
			fresh = append(fresh, f)
		}
		s.seen[f]++
	}
	return fresh
}

// remember takes in what was shown before this exploration.
func (s *sights) remember(shown []feature) {
	s.add(shown)
	for _, f := range shown {
		s.seen[f] = 0
	}
}

// reached takes in how much of the CCM's code has run, and reports whether that is more than before.
func (s *sights) reached(code float64) bool {
	more := code > s.code
	s.code = max(s.code, code)
	return more
}

// rarest is how often the rarest of some features was shown; 0 for none.
func (s *sights) rarest(of []feature) int {
	least := 0
	for i, f := range of {
		if n := s.seen[f]; i == 0 || n < least {
			least = n
		}
	}
	return least
}
