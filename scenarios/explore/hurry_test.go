package explore

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// within is the text of the step of a history that has a promise of a part, while a violation of its rule is shrunk.
func within(t *testing.T, x *exploration, p, broken part) string {
	t.Helper()
	all, err := run.Parse("history.yaml", History{Nodes: 1, Ops: []Op{check{part: partGone}, check{part: p}}}.write(title{name: "history", description: "d"}).text)
	if err != nil {
		t.Fatal(err)
	}
	return x.hurried(all[0], promiseOf(broken).because).Steps[1].Action.(interface{ Text() string }).Text()
}

// TestHurried: only the promise that is broken has less time, and never less than twice what it has taken.
func TestHurried(t *testing.T) {
	t.Parallel()
	x := &exploration{Explorer: &Explorer{}}
	if got := within(t, x, partNodes, partNodes); !strings.HasPrefix(got, "within 30s:") {
		t.Errorf("the broken promise: %s", got)
	}
	if got := within(t, x, partRoutes, partGone); !strings.HasPrefix(got, "within 40s:") {
		t.Errorf("another promise: %s", got)
	}
	learned := &scenarios.Scenario{Steps: []scenarios.Step{{Because: promiseOf(partNodes).because}, {Because: "another"}, {Because: promiseOf(partRoutes).because}}}
	x.learn(learned, scenarios.Result{Steps: []scenarios.StepResult{{Passed: true, Seconds: 25}, {Passed: true, Seconds: 70}, {Seconds: 40}}})
	if got := within(t, x, partNodes, partNodes); !strings.HasPrefix(got, "within 50s:") {
		t.Errorf("after it has taken 25s: %s", got)
	}
	if got := within(t, x, partRoutes, partRoutes); !strings.HasPrefix(got, "within 13.3") {
		t.Errorf("after it was not kept: %s", got)
	}
	x.learn(learned, scenarios.Result{Steps: []scenarios.StepResult{{Passed: true, Seconds: 80}}})
	if got := within(t, x, partNodes, partNodes); !strings.HasPrefix(got, "within 1m30s:") {
		t.Errorf("after it has taken 80s: %s", got)
	}
}

// hurriedRuns shrinks a history that breaks a promise. It returns what is left, and the time that histories had for it that broke it.
func hurriedRuns(t *testing.T, h History, budget int, breaks func(h History, hurried bool) bool) (s *shrinker, again bool, spent time.Duration) {
	t.Helper()
	rule := promiseOf(partAddress).because
	s = &shrinker{
		places: 1, budget: budget, best: h, found: violation{rule: rule, step: len(h.write(title{}).ops) - 1}, progress: func(History) {},
		renew: func(context.Context) error { return nil },
	}
	s.try = func(_ context.Context, _ int, h History) ([]violation, error) {
		if !breaks(h, s.hurried) {
			return nil, nil
		}
		if spent += fullTime(rule); s.hurried {
			spent -= fullTime(rule) - fullTime(rule)/share
		}
		return []violation{{rule: rule, step: len(h.write(title{}).ops) - 1}}, nil
	}
	again, err := s.shrink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, again, spent
}

// TestShrinkHurries: shorter histories have less time, those that confirm and prove it have all.
func TestShrinkHurries(t *testing.T) {
	t.Parallel()
	service := addService{name: "web-1", ports: 1}
	last := check{part: partAddress}
	h := History{Nodes: 1, Ops: []Op{service, wait{}, wait{}, silence{of("node-1")}, changeType{of("web-1")}, last}}
	s, again, spent := hurriedRuns(t, h, 100, func(History, bool) bool { return true })
	if want := (proofs+1)*fullTime(s.found.rule) + time.Duration(len(s.trail)-1)*fullTime(s.found.rule)/share; !again || len(s.trail) < 3 || spent.Round(time.Second) != want.Round(time.Second) {
		t.Errorf("%v, %d steps: it took %s, want %s", again, len(s.trail), spent, want)
	}
	slow := func(h History, hurried bool) bool {
		return hurried || slices.Contains(h.Ops, Op(changeType{of("web-1")}))
	}
	s, again, _ = hurriedRuns(t, h, 100, slow)
	if want := (History{Ops: []Op{service, changeType{of("web-1")}, last}}); !again || !reflect.DeepEqual(s.best, want) {
		t.Errorf("what is only slow was believed, or nothing was shrunk with the full time: %v, %#v", again, s.best)
	}
}
