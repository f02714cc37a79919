package step

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var expectVerb = syntax.Verb{
	Name: "expect",
	Doc:  "expects an expression, or each of a list in the same snapshot, to be true: now, within a time, all the time (holds), or at no time (never); meanwhile must be true until within is met",
	Schema: map[string]any{"oneOf": []any{
		syntax.CELSchema, map[string]any{"type": "array", "minItems": 1, "items": syntax.CELSchema},
	}},
	Siblings: map[string]any{"within": syntax.DurationSchema, "holds": syntax.DurationSchema, "never": syntax.DurationSchema, "meanwhile": syntax.CELSchema},
	Parse:    parseExpect,
}

// mode is when an expectation must be true.
type mode string

const (
	now    mode = "now"
	within mode = "within" // at some moment
	holds  mode = "holds"  // in every snapshot
	never  mode = "never"  // in no snapshot
)

// ExpectAction waits until expressions are true, or for as long as they must be.
type ExpectAction struct {
	mode  mode
	Time  time.Duration
	Exprs []*expr.Expr
	// meanwhile must be true in every snapshot until the expectation is met.
	meanwhile *expr.Expr
}

func parseExpect(d *syntax.Decoder) syntax.Parsed {
	a := &ExpectAction{mode: now}
	sibling := func(m mode) syntax.Field {
		return syntax.Field{Name: string(m), Required: false, Decode: func(n *yaml.Node) {
			if a.mode != now {
				d.Errorf(n, "an expectation has one of within, holds and never: %s and %s are two", a.mode, m)
			}
			a.mode = m
			d.Duration(string(m), &a.Time)(n)
		}}
	}
	return syntax.Parsed{
		Action: a,
		Decode: func(n *yaml.Node) { readExpectations(d, n, a) },
		Siblings: []syntax.Field{
			sibling(within), sibling(holds), sibling(never),
			{Name: "meanwhile", Required: false, Decode: func(n *yaml.Node) { a.meanwhile = d.TruthExpression(n, "meanwhile") }},
		},
		Finish: func(n *yaml.Node) { checkExpect(d, n, a) },
		Text:   a.Text,
	}
}

func checkExpect(d *syntax.Decoder, n *yaml.Node, a *ExpectAction) {
	if a.meanwhile != nil && a.mode != within {
		d.Errorf(n, "meanwhile goes with within alone")
	}
	if a.mode == never && len(a.Exprs) > 1 {
		d.Errorf(n, "never goes with one expression: join them with && or ||")
	}
}

func readExpectations(d *syntax.Decoder, n *yaml.Node, a *ExpectAction) {
	n = syntax.Resolve(n)
	if n.Kind != yaml.SequenceNode {
		a.add(d.TruthExpression(n, "expect"))
		return
	}
	if len(n.Content) == 0 {
		d.Errorf(n, "expect is an empty list: at least one expression is right")
	}
	for _, item := range n.Content {
		a.add(d.TruthExpression(item, "an expectation"))
	}
}

func (a *ExpectAction) add(e *expr.Expr) {
	if e != nil {
		a.Exprs = append(a.Exprs, e)
	}
}

func (a *ExpectAction) sources() string {
	var sources []string
	for _, e := range a.Exprs {
		sources = append(sources, strings.TrimSpace(e.Source))
	}
	return strings.Join(sources, "\n")
}

// Text says in one line what is expected.
func (a *ExpectAction) Text() string {
	when := string(a.mode)
	if a.Time > 0 {
		when += " " + a.Time.String()
	}
	return when + ": " + strings.ReplaceAll(a.sources(), "\n", " && ")
}

// limit is the time that the step takes at least.
func (a *ExpectAction) limit() time.Duration { return a.Time }

func (a *ExpectAction) run(ctx context.Context, st *Stage) error {
	if a.readsAny("ccm") {
		defer poll(ctx, func(context.Context) { st.SyncCCM() })()
	}
	if a.readsAny("faults") {
		defer poll(ctx, func(ctx context.Context) { _ = st.syncFaults(ctx) })() // the end of the step says what is wrong
	}
	if a.readsAny("traffic") {
		defer poll(ctx, func(context.Context) { st.syncTraffic() })()
	}
	return a.Wait(ctx, st.Store, func() { _ = st.Sync(ctx) })
}

func (a *ExpectAction) readsAny(names ...string) bool {
	all := a.Exprs
	if a.meanwhile != nil {
		all = append([]*expr.Expr{a.meanwhile}, all...)
	}
	return slices.ContainsFunc(all, func(e *expr.Expr) bool { return e.ReadsAny(names...) })
}
