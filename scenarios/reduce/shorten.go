package reduce

import (
	"slices"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// signature is what tells one failure from another, wherever its step stands.
type signature struct{ oracle, step, expression, because string }

func signatureOf(f scenarios.Failure) signature {
	if f.Oracle != "" {
		return signature{oracle: f.Oracle}
	}
	return signature{step: f.Step, expression: f.Expression, because: f.Because}
}

// Shortener looks for the shortest scenario that fails as another has: it
// leaves out what came after the failure, and then some of the steps before, as
// long as the rest fails in the same way.
type Shortener struct {
	file  string
	Draft draft // the shortest so far
	want  signature
	// fixed is how many steps at the end are never left out: the one that failed.
	fixed int
	// size is how many steps to leave out at a time; 0 when nothing more can be.
	size int
	// at is where the next ones to leave out begin, in draft.kept.
	at      int
	tried   draft
	Reruns  int
	without int // successes of this size
}

// New begins with a scenario and its first failure.
func New(s *scenarios.Scenario, r scenarios.Result, file string, parse parseFunc) (*Shortener, error) {
	whole, err := NewDraft(s, parse)
	if err != nil {
		return nil, err
	}
	sh := &Shortener{file: file, Draft: whole, want: signatureOf(r.Failures[0])}
	if failed := failedStep(s, r); failed >= 0 {
		sh.fixed = 1
		if sh.Draft, err = whole.keeping(whole.Kept[:failed+1]).settled(); err != nil {
			return nil, err
		}
	}
	sh.size = len(sh.Draft.Kept) - sh.fixed
	return sh, nil
}

// failedStep is the place of the step that failed first; -1 when it was none of the steps.
func failedStep(s *scenarios.Scenario, r scenarios.Result) int {
	first := r.Failures[0]
	if first.Oracle != "" || first.Finally {
		return -1
	}
	return slices.IndexFunc(s.Steps, func(step scenarios.Step) bool {
		return step.Position.String() == first.Position || step.Place() == first.Position
	})
}

// Next is the next scenario to run; nil when nothing is left to try.
func (s *Shortener) Next() *scenarios.Scenario {
	for s.size > 0 {
		free := len(s.Draft.Kept) - s.fixed
		if s.at >= free {
			s.smaller()
			continue
		}
		kept := slices.Concat(s.Draft.Kept[:s.at], s.Draft.Kept[min(s.at+s.size, free):])
		var err error
		if s.tried, err = s.Draft.keeping(kept).settled(); err == nil && len(kept) > 0 {
			s.Reruns++
			candidate, _ := s.tried.Scenario(s.file) // it was read to be settled
			return candidate
		}
		s.at += s.size // what is left needs what is left out
	}
	return nil
}

// smaller goes on with fewer steps at a time, and once more with one when that was of use.
func (s *Shortener) smaller() {
	s.at = 0
	if s.size > 1 || s.without == 0 {
		s.size /= 2
	}
	s.without = 0
}

// Same reports whether a result is the failure that is wanted.
func (s *Shortener) Same(r scenarios.Result) bool {
	return r.Status == scenarios.Failed && len(r.Failures) > 0 && signatureOf(r.Failures[0]) == s.want
}

// Tell takes in whether the last scenario of next shows the failure.
func (s *Shortener) Tell(shows bool) {
	if shows {
		s.Draft = s.tried
		s.without++
		return
	}
	s.at += s.size
}
