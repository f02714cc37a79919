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
	whole draft
	Draft draft // the shortest so far
	want  signature
	// fixed are the steps at the end that are never left out: the one that failed.
	fixed  []int
	steps  Minimizer[int] // the others
	tried  draft
	Reruns int
}

// New begins with a scenario and its first failure.
func New(s *scenarios.Scenario, r scenarios.Result, file string, parse parseFunc) (*Shortener, error) {
	whole, err := NewDraft(s, parse)
	if err != nil {
		return nil, err
	}
	sh := &Shortener{file: file, whole: whole, Draft: whole, want: signatureOf(r.Failures[0])}
	free := len(whole.Kept)
	if failed := failedStep(s, r); failed >= 0 {
		free = failed
		if sh.Draft, err = whole.keeping(whole.Kept[:failed+1]).settled(); err != nil {
			return nil, err
		}
	}
	sh.fixed = sh.Draft.Kept[free:]
	sh.steps = Minimizer[int]{Items: sh.Draft.Kept[:free], Size: free, Repeat: true}
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
	for lists := s.steps.Next(1); len(lists) > 0; lists = s.steps.Next(1) {
		kept := slices.Concat(lists[0], s.fixed)
		var err error
		if s.tried, err = s.Draft.keeping(kept).settled(); err == nil && len(kept) > 0 {
			s.Reruns++
			candidate, _ := s.tried.Scenario(s.file) // it was read to be settled
			return candidate
		}
		s.steps.Tell(-1) // what is left needs what is left out
	}
	return nil
}

// Same reports whether a result is the failure that is wanted.
func (s *Shortener) Same(r scenarios.Result) bool {
	return r.Status == scenarios.Failed && len(r.Failures) > 0 && signatureOf(r.Failures[0]) == s.want
}

// Tell takes in whether the last scenario of next shows the failure.
func (s *Shortener) Tell(shows bool) {
	if !shows {
		s.steps.Tell(-1)
		return
	}
	s.steps.Tell(0)
	s.Draft = s.tried
}

// Scenario is the shortest so far, to run.
func (s *Shortener) Scenario() (*scenarios.Scenario, error) { return s.Draft.Scenario(s.file) }

// Lengthen goes back to the whole scenario. It reports false when nothing was left out.
func (s *Shortener) Lengthen() bool {
	if len(s.Draft.Kept) == len(s.whole.Kept) {
		return false
	}
	s.Draft = s.whole
	return true
}
