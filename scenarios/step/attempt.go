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
	capture string
	mode    mode // now, within or holds
	time    time.Duration
	// expect judges the answer. Without it the answer must be no failure,
	// unless all that is wanted is to capture it.
	expect *expr.Expr

	captureNode, expectNode *yaml.Node
}

// attemptSchema has the keys of attempts.
func attemptSchema(properties map[string]any) map[string]any {
	properties["capture"] = map[string]any{"type": "string", "description": "the name for the answer"}
	properties["expect"] = map[string]any{"type": "string", "description": "a CEL expression that judges the answer; without it nothing may fail"}
	properties["within"] = syntax.DurationSchema
	properties["holds"] = syntax.DurationSchema
	return properties
}

// attemptFields reads the keys; finishAttempt goes on when all are read,
// because what is expected reads what is captured, whichever is first in the file.
func attemptFields(d *syntax.Decoder, a *attempt) []syntax.Field {
	a.mode = now
	span := func(m mode) syntax.Field {
		return syntax.Field{Name: string(m), Required: false, Decode: func(n *yaml.Node) {
			if a.mode != now {
				d.Errorf(n, "an expectation has one of within and holds")
			}
			a.mode = m
			d.Duration(string(m), &a.time)(n)
		}}
	}
	return []syntax.Field{
		{Name: "capture", Required: false, Decode: func(n *yaml.Node) { a.captureNode = n }},
		{Name: "expect", Required: false, Decode: func(n *yaml.Node) { a.expectNode = n }},
		span(within), span(holds),
	}
}

func finishAttempt(d *syntax.Decoder, a *attempt) {
	if a.captureNode != nil {
		d.CaptureName(&a.capture)(a.captureNode)
	}
	if a.expectNode != nil {
		a.expect = d.TruthExpression(a.expectNode, "expect")
	}
}

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
	if got.value != nil && a.capture != "" {
		st.Store.Capture(a.capture, got.value)
	}
	onlyCaptured := a.expect == nil && a.mode == now && a.capture != ""
	switch {
	case got.value == nil:
		return a.failed(got.problem.Error(), tries)
	case onlyCaptured, a.expect == nil && got.problem == nil:
		return nil
	case a.expect == nil:
		return a.failed(got.problem.Error(), tries)
	}
	if err := st.Sync(ctx); err != nil {
		return err
	}
	s := st.Store.Snapshot()
	yes, err := a.expect.Truth(s)
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
	parts := expr.Explain(a.expect, s)
	if got.problem != nil {
		parts = append(parts, got.problem.Error())
	}
	return &ExpectationError{
		Headline: a.inTime("it is not so"), Source: a.expect.Source, Parts: parts, Looked: tries, What: tryWord, last: s,
	}
}

func (a *attempt) failed(problem string, tries int) error {
	return &ExpectationError{Headline: a.inTime(problem), Looked: tries, What: tryWord}
}

// tryWord is what failures count.
const tryWord = "attempt"

func (a *attempt) inTime(problem string) string {
	switch a.mode {
	case within:
		return fmt.Sprintf("it did not become so within %s: %s", a.time, problem)
	case holds:
		return fmt.Sprintf("it did not hold for %s: %s", a.time, problem)
	default:
		return problem
	}
}
