package scenarios

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"go.yaml.in/yaml/v3"
)

var expectVerb = verb{
	name: "expect",
	doc:  "expects an expression, or each of a list in the same snapshot, to be true: now, within a time, all the time (holds), or at no time (never); meanwhile must be true until within is met",
	schema: map[string]any{"oneOf": []any{
		celSchema, map[string]any{"type": "array", "minItems": 1, "items": celSchema},
	}},
	siblings: map[string]any{"within": durationSchema, "holds": durationSchema, "never": durationSchema, "meanwhile": celSchema},
	parse:    parseExpect,
}

// mode is when an expectation must be true.
type mode string

const (
	now    mode = "now"
	within mode = "within" // at some moment
	holds  mode = "holds"  // in every snapshot
	never  mode = "never"  // in no snapshot
)

type expectAction struct {
	mode  mode
	time  time.Duration
	exprs []*expr.Expr
	// meanwhile must be true in every snapshot until the expectation is met.
	meanwhile *expr.Expr
}

func parseExpect(d *decoder) parsed {
	a := &expectAction{mode: now}
	sibling := func(m mode) field {
		return field{string(m), false, func(n *yaml.Node) {
			if a.mode != now {
				d.errorf(n, "an expectation has one of within, holds and never: %s and %s are two", a.mode, m)
			}
			a.mode = m
			d.duration(string(m), &a.time)(n)
		}}
	}
	return parsed{
		action: a,
		decode: func(n *yaml.Node) { readExpectations(d, n, a) },
		siblings: []field{
			sibling(within), sibling(holds), sibling(never),
			{"meanwhile", false, func(n *yaml.Node) { a.meanwhile = d.truthExpression(n, "meanwhile") }},
		},
		finish: func(n *yaml.Node) { checkExpect(d, n, a) },
		text:   a.text,
	}
}

func checkExpect(d *decoder, n *yaml.Node, a *expectAction) {
	if a.meanwhile != nil && a.mode != within {
		d.errorf(n, "meanwhile goes with within alone")
	}
	if a.mode == never && len(a.exprs) > 1 {
		d.errorf(n, "never goes with one expression: join them with && or ||")
	}
}

func readExpectations(d *decoder, n *yaml.Node, a *expectAction) {
	n = resolve(n)
	if n.Kind != yaml.SequenceNode {
		a.add(d.truthExpression(n, "expect"))
		return
	}
	if len(n.Content) == 0 {
		d.errorf(n, "expect is an empty list: at least one expression is right")
	}
	for _, item := range n.Content {
		a.add(d.truthExpression(item, "an expectation"))
	}
}

func (a *expectAction) add(e *expr.Expr) {
	if e != nil {
		a.exprs = append(a.exprs, e)
	}
}

func (a *expectAction) sources() string {
	var sources []string
	for _, e := range a.exprs {
		sources = append(sources, strings.TrimSpace(e.Source))
	}
	return strings.Join(sources, "\n")
}

func (a *expectAction) text() string {
	when := string(a.mode)
	if a.time > 0 {
		when += " " + a.time.String()
	}
	return when + ": " + strings.ReplaceAll(a.sources(), "\n", " && ")
}

// limit is the time that the step takes at least.
func (a *expectAction) limit() time.Duration { return a.time }

func (a *expectAction) run(ctx context.Context, st *stage) error {
	if a.readsAny("ccm") {
		defer poll(ctx, func(context.Context) { st.syncCCM() })()
	}
	if a.readsAny("faults") {
		defer poll(ctx, func(ctx context.Context) { _ = st.syncFaults(ctx) })() // the end of the step says what is wrong
	}
	if a.readsAny("traffic") {
		defer poll(ctx, func(context.Context) { st.syncTraffic() })()
	}
	return a.wait(ctx, st.store, func() { _ = st.sync(ctx) })
}

func (a *expectAction) readsAny(names ...string) bool {
	all := a.exprs
	if a.meanwhile != nil {
		all = append([]*expr.Expr{a.meanwhile}, all...)
	}
	return slices.ContainsFunc(all, func(e *expr.Expr) bool { return e.ReadsAny(names...) })
}
