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
	Name:     "expect",
	Doc:      "expects an expression, or each of a list in the same snapshot, to be true: now, within a time, all the time (holds), or at no time (never); meanwhile must be true until within is met",
	Effect:   syntax.ReadOnly,
	Examples: []string{`nodes.size() == 3`, `[loadBalancers.size() == 1, '"web" in services']`},
	New:      func() syntax.Action { return &ExpectAction{mode: now} },
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
	Exprs     []*expr.Expr  `yaml:",value,single" item:"an expectation" empty:"want at least one expression"`
	Within    time.Duration `yaml:"within,beside" doc:"true at some moment of this time" alone:"an expectation has one of within, holds and never: {first} and {second} are two"`
	Holds     time.Duration `yaml:"holds,beside" doc:"true in every snapshot for this time" alone:"an expectation has one of within, holds and never: {first} and {second} are two"`
	Never     time.Duration `yaml:"never,beside" doc:"true in no snapshot for this time" alone:"an expectation has one of within, holds and never: {first} and {second} are two"`
	Meanwhile *expr.Expr    `yaml:"meanwhile,beside" doc:"a CEL expression that is true in every snapshot until the expectation is met"`
	// mode and Time are when it must be true, as within, holds and never say.
	mode mode
	Time time.Duration
}

// Check reports keys that do not go together.
func (a *ExpectAction) Check(d *syntax.Decoder, n *yaml.Node) {
	a.mode, a.Time = when(a.Within, a.Holds, a.Never)
	if a.Meanwhile != nil && a.mode != within {
		d.Errorf(n, "meanwhile goes with within alone")
	}
	if a.mode == never && len(a.Exprs) > 1 {
		d.Errorf(n, "never goes with one expression: join them with && or ||")
	}
}

// when is the mode that has a time.
func when(in, during, not time.Duration) (mode, time.Duration) {
	switch {
	case in > 0:
		return within, in
	case during > 0:
		return holds, during
	case not > 0:
		return never, not
	default:
		return now, 0
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
	settle := func() { _ = st.Sync(ctx) }
	if st.ahead != nil && st.ahead.expectation == a {
		return a.waitSince(ctx, st.Store, st.endLookahead, settle)
	}
	return a.Wait(ctx, st.Store, settle)
}

func (a *ExpectAction) readsAny(names ...string) bool {
	all := a.Exprs
	if a.Meanwhile != nil {
		all = append([]*expr.Expr{a.Meanwhile}, all...)
	}
	return slices.ContainsFunc(all, func(e *expr.Expr) bool { return e.ReadsAny(names...) })
}

// Denials are the keys that the expectation denies.
func (a *ExpectAction) Denials() (denied []expr.Denial) {
	for _, e := range a.Exprs {
		denied = append(denied, e.Denials(a.mode != never)...)
	}
	if a.Meanwhile != nil {
		denied = append(denied, a.Meanwhile.Denials(true)...)
	}
	return denied
}

var sleepVerb = syntax.Verb{
	Name:     "sleep",
	Doc:      "lets time pass; an expectation is nearly always better",
	Effect:   syntax.ReadOnly,
	Examples: []string{"2s"},
	New:      func() syntax.Action { return &sleepAction{} },
}

type sleepAction struct {
	For time.Duration `yaml:",value"`
}

func (a *sleepAction) Text() string { return a.For.String() }

func (a *sleepAction) run(ctx context.Context, _ *Stage) error {
	select {
	case <-time.After(a.For):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// limit is the time that the step takes at least.
func (a *sleepAction) limit() time.Duration { return a.For }
