package step

import (
	"context"
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// attempt is what steps have in common that ask and look at the answer: its
// name, what is expected of it, and how long it is asked for again.
type attempt struct {
	Capture syntax.Capture `yaml:"capture,late" doc:"the name for the answer"`
	// Expect judges the answer. Without it the answer must be no failure,
	// unless all that is wanted is to capture it.
	Expect *expr.Expr    `yaml:"expect,late" doc:"a CEL expression that judges the answer; without it nothing may fail"`
	Within time.Duration `yaml:"within" doc:"asks again until the expectation is true, for at most this time" alone:"an expectation has one of within and holds"`
	Holds  time.Duration `yaml:"holds" doc:"asks again for this time, and the expectation must be true each time" alone:"an expectation has one of within and holds"`
	mode   mode          // now, within or holds
	time   time.Duration
}

// Check finds when the expectation must be true.
func (a *attempt) Check(*syntax.Decoder, *yaml.Node) { a.mode, a.time = when(a.Within, a.Holds, 0) }

// outcome is what came of asking once.
type outcome struct {
	value   map[string]any // for capture; nil when there is no answer at all
	problem error          // why it is a failure
}

// run asks again and again until it is decided.
func (a *attempt) run(ctx context.Context, st *Stage, ask func(context.Context) outcome) error {
	end, stop := after(a.time)
	defer stop()
	for tries := 1; ; tries++ {
		got := ask(ctx)
		if err := context.Cause(ctx); err != nil {
			return err
		}
		wrong := a.judge(ctx, st, got, tries)
		switch {
		case a.mode == now, a.mode == holds && wrong != nil:
			return wrong
		case a.mode == within && wrong == nil:
			return nil
		}
		select {
		case <-end:
			return wrong
		case <-time.After(Tick):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// judge says what is wrong with an answer.
func (a *attempt) judge(ctx context.Context, st *Stage, got outcome, tries int) error {
	if got.value != nil && a.Capture != "" {
		st.Store.Capture(string(a.Capture), got.value)
		delete(st.answers, string(a.Capture))
		delete(st.origins, string(a.Capture))
	}
	onlyCaptured := a.Expect == nil && a.mode == now && a.Capture != ""
	switch {
	case got.value == nil:
		return a.failed(got.problem, tries)
	case onlyCaptured, a.Expect == nil && got.problem == nil:
		return nil
	case a.Expect == nil:
		return a.failed(got.problem, tries)
	}
	if err := st.Sync(ctx); err != nil {
		return err
	}
	s := st.Store.Snapshot()
	yes, err := a.Expect.Truth(s)
	switch {
	case yes:
		return nil
	case err != nil && !expr.IsMissing(err):
		return fmt.Errorf("the expression cannot be evaluated: %w", err)
	}
	return a.unmet(s, got, tries)
}

// unmet says what the answer was that is not as it should be.
func (a *attempt) unmet(s *observe.Snapshot, got outcome, tries int) error {
	parts := expr.Explain(a.Expect, s)
	if got.problem != nil {
		parts = append(parts, got.problem.Error())
	}
	return &ExpectationError{
		Headline: a.inTime("the expectation is false"), Source: a.Expect.Source, Parts: parts, Looked: tries, What: tryWord, last: s,
	}
}

// failed is an attempt without an answer, or with one that is a failure. What it was asked with is waited for too, where it is asked again.
func (a *attempt) failed(problem error, tries int) error {
	unmet := &ExpectationError{Headline: a.inTime(problem.Error()), Looked: tries, What: tryWord}
	if a.mode == now {
		unmet.valueless, unmet.mistake = valueless(problem), expr.IsMistake(problem)
	}
	return unmet
}

// tryWord is what failures count.
const tryWord = "attempt"

func (a *attempt) inTime(problem string) string {
	switch a.mode {
	case within:
		return fmt.Sprintf("the expectation did not become true within %s: %s", a.time, problem)
	case holds:
		return fmt.Sprintf("the expectation did not stay true for %s: %s", a.time, problem)
	default:
		return problem
	}
}
