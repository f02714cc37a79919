package scenarios

import (
	"slices"
)

// signature is what tells one failure from another, wherever its step stands.
type signature struct{ oracle, step, expression, because string }

func signatureOf(f Failure) signature {
	if f.Oracle != "" {
		return signature{oracle: f.Oracle}
	}
	return signature{step: f.Step, expression: f.Expression, because: f.Because}
}

// shortener looks for the shortest scenario that fails as another has: it
// leaves out what came after the failure, and then some of the steps before, as
// long as the rest fails in the same way.
type shortener struct {
	file  string
	draft draft // the shortest so far
	want  signature
	// fixed is how many steps at the end are never left out: the one that failed.
	fixed int
	// size is how many steps to leave out at a time; 0 when nothing more can be.
	size int
	// at is where the next ones to leave out begin, in draft.kept.
	at      int
	tried   draft
	reruns  int
	without int // successes of this size
}

// newShortener begins with a scenario and its first failure.
func newShortener(s *Scenario, r Result, file string, parse parseFunc) (*shortener, error) {
	whole, err := newDraft(s, parse)
	if err != nil {
		return nil, err
	}
	sh := &shortener{file: file, draft: whole, want: signatureOf(r.Failures[0])}
	if failed := failedStep(s, r); failed >= 0 {
		sh.fixed = 1
		if sh.draft, err = whole.keeping(whole.kept[:failed+1]).settled(); err != nil {
			return nil, err
		}
	}
	sh.size = len(sh.draft.kept) - sh.fixed
	return sh, nil
}

// failedStep is the place of the step that failed first; -1 when it was none of the steps.
func failedStep(s *Scenario, r Result) int {
	first := r.Failures[0]
	if first.Oracle != "" || first.Finally {
		return -1
	}
	return slices.IndexFunc(s.Steps, func(step Step) bool {
		return step.Position.String() == first.Position || step.Place() == first.Position
	})
}

// next is the next scenario to run; nil when nothing is left to try.
func (s *shortener) next() *Scenario {
	for s.size > 0 {
		free := len(s.draft.kept) - s.fixed
		if s.at >= free {
			s.smaller()
			continue
		}
		kept := slices.Concat(s.draft.kept[:s.at], s.draft.kept[min(s.at+s.size, free):])
		var err error
		if s.tried, err = s.draft.keeping(kept).settled(); err == nil && len(kept) > 0 {
			s.reruns++
			candidate, _ := s.tried.scenario(s.file) // it was read to be settled
			return candidate
		}
		s.at += s.size // what is left needs what is left out
	}
	return nil
}

// smaller goes on with fewer steps at a time, and once more with one when that was of use.
func (s *shortener) smaller() {
	s.at = 0
	if s.size > 1 || s.without == 0 {
		s.size /= 2
	}
	s.without = 0
}

// same reports whether a result is the failure that is wanted.
func (s *shortener) same(r Result) bool {
	return r.Status == Failed && len(r.Failures) > 0 && signatureOf(r.Failures[0]) == s.want
}

// tell takes in whether the last scenario of next shows the failure.
func (s *shortener) tell(shows bool) {
	if shows {
		s.draft = s.tried
		s.without++
		return
	}
	s.at += s.size
}
