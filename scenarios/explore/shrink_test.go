package explore

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// shrinkWith shrinks a history that a function judges.
func shrinkWith(t *testing.T, h History, budget int, breaks func(History) bool) (*shrinker, bool) {
	t.Helper()
	s := &shrinker{
		places: 2, budget: budget, best: h, found: violation{rule: "oracle x", step: -1}, progress: func(History) {},
		renew: func(context.Context) error { return nil },
		try: func(_ context.Context, _ int, h History) ([]violation, error) {
			if breaks(h) {
				return []violation{{rule: "oracle y", step: -1}, {rule: "oracle x", step: -1}}, nil
			}
			return []violation{{rule: "oracle y", step: -1}}, nil
		},
	}
	again, err := s.shrink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, again
}

// TestShrinkToWhatMatters: of any history that has it, what is left is what breaks the rule and what that needs.
func TestShrinkToWhatMatters(t *testing.T) {
	refused := arm{operation: "GetInstance", effects: "{error: {code: unauthenticated}}"}
	rapid.Check(t, func(rt *rapid.T) {
		h := histories(AllAreas(), scenarios.AllCapabilities()).Draw(rt, "history")
		at := rapid.IntRange(0, len(h.Ops)).Draw(rt, "at")
		h.Ops = slices.Insert(slices.Clone(h.Ops), at, Op(addVM{name: "node-90"}), Op(refused), Op(stopVM{named: of("node-90")}))
		s, again := shrinkWith(t, h.legal(), 1000, func(h History) bool {
			return slices.Contains(h.Ops, Op(refused)) && slices.Contains(h.Ops, Op(stopVM{named: of("node-90")}))
		})
		// A history that refused already may keep that rule instead of the one put into it, before the VM.
		want := []Op{addVM{name: "node-90"}, refused, stopVM{named: of("node-90")}}
		missing := slices.ContainsFunc(want, func(op Op) bool { return !slices.Contains(s.best.Ops, op) })
		if !again || missing || len(s.best.Ops) != len(want) || s.best.Nodes != 0 {
			rt.Errorf("%v: %#v", again, s.best)
		}
	})
}

// TestShrinkArguments: ops and nodes become as simple as they can.
func TestShrinkArguments(t *testing.T) {
	h := History{Nodes: 3, Ops: []Op{addService{name: "web-1", ports: 2, local: true}, silence{of("node-2")}}}
	s, _ := shrinkWith(t, h, 100, func(h History) bool {
		return len(h.Ops) == 2 && h.Nodes >= 2
	})
	want := History{Nodes: 2, Ops: []Op{addService{name: "web-1", ports: 1}, silence{of("node-2")}}}
	if !reflect.DeepEqual(s.best, want) {
		t.Errorf("%#v", s.best)
	}
}

// TestShrinkBudget: no more is run than is allowed, and what was found by then is kept.
func TestShrinkBudget(t *testing.T) {
	x := exploration{Explorer: &Explorer{Seed: 3}}
	h := x.history(1)
	var runs atomic.Int32
	s, again := shrinkWith(t, h, 5, func(h History) bool { runs.Add(1); return len(h.Ops) > 0 })
	if got := int(runs.Load()); got > 5+proofs || got != s.runs+proofs || !again || len(s.best.Ops) >= len(h.Ops) {
		t.Errorf("%d runs, %d counted, %v, %d ops of %d", got, s.runs, again, len(s.best.Ops), len(h.Ops))
	}
}

// TestUnstable: what cannot be shown again is not shrunk.
func TestUnstable(t *testing.T) {
	x := exploration{Explorer: &Explorer{Seed: 3}}
	s, again := shrinkWith(t, x.history(1), 100, func(History) bool { return false })
	if again || s.runs != reruns {
		t.Errorf("%v after %d runs", again, s.runs)
	}
}

// TestProve: what broke the rule only by chance is not believed: the shortest history is that which breaks it on new clusters.
func TestProve(t *testing.T) {
	slow := History{Nodes: 1, Ops: []Op{addService{name: "web-1", ports: 1}, wait{}, changeType{of("web-1")}}}
	for _, places := range []int{1, 2, 3} {
		var fresh atomic.Bool
		s := &shrinker{
			places: places, budget: 100, best: slow, found: violation{rule: "oracle x", step: -1}, progress: func(History) {},
			renew: func(context.Context) error { fresh.Store(true); return nil },
			try: func(_ context.Context, _ int, h History) ([]violation, error) {
				if fresh.Load() && !slices.Contains(h.Ops, Op(wait{})) || !slices.Contains(h.Ops, Op(changeType{of("web-1")})) {
					return nil, nil
				}
				return []violation{{rule: "oracle x", step: -1}}, nil
			},
		}
		again, err := s.shrink(t.Context())
		if !again || err != nil || !reflect.DeepEqual(s.best, slow) {
			t.Errorf("at %d places: %v, %v: %#v", places, again, err, s.best)
		}
	}
}

// TestNotProven: what no new cluster shows is not relied on.
func TestNotProven(t *testing.T) {
	var runs atomic.Int32
	s, again := shrinkWith(t, History{Nodes: 1, Ops: []Op{wait{}}}, 10, func(History) bool { return runs.Add(1) < 3 })
	if again || len(s.best.Ops) != 1 {
		t.Errorf("%v: %#v", again, s.best)
	}
}

// TestCut: what came after the step that failed is left out without trying.
func TestCut(t *testing.T) {
	h := History{Nodes: 1, Ops: []Op{addService{name: "web-1", ports: 1}, check{part: partNodes}, silence{of("node-1")}, wait{}}}
	s := &shrinker{best: h, found: violation{rule: promiseOf(partNodes).because, step: 1}}
	if got, want := s.cut(h).Ops, h.Ops[:2]; !reflect.DeepEqual(got, want) {
		t.Errorf("%#v", got)
	}
}

// TestShrinkEnds: an error of the environment ends it.
func TestShrinkEnds(t *testing.T) {
	broken := errors.New("no cluster")
	s := &shrinker{
		places: 2, budget: 10, best: History{Nodes: 1, Ops: []Op{wait{}}}, found: violation{rule: "x", step: -1},
		try: func(context.Context, int, History) ([]violation, error) { return nil, broken },
	}
	if _, err := s.shrink(t.Context()); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// TestInterrupted: whenever an exploration ends, what was found by then is reported, as the shortest history known.
func TestInterrupted(t *testing.T) {
	long := History{Nodes: 1, Ops: []Op{addService{name: "web-1", ports: 1}, wait{}, changeType{of("web-1")}}}
	for name, test := range map[string]struct {
		at        int // the run that is interrupted
		fresh     bool
		violation bool
		steps     int
		says      string
	}{
		"before it ran again": {at: 1, steps: 3, says: "ended before the file was proven"},
		"while it is shrunk":  {at: 2, violation: true, steps: 3, says: "ended before the file was proven"},
		"while it is proven":  {at: 1, fresh: true, violation: true, steps: 1, says: "ended before the file was proven"},
		"after it was proven": {at: 100, violation: true, steps: 1, says: "shrunk by"},
	} {
		t.Run(name, func(t *testing.T) {
			runs, fresh := 0, false
			x := &exploration{Explorer: &Explorer{Seed: 3}, report: Report{Known: map[string]int{}}}
			s := &shrinker{
				places: 1, budget: 100, best: long, found: violation{rule: "oracle x", step: -1}, progress: func(History) {},
				renew: func(context.Context) error { fresh = true; return nil },
				try: func(_ context.Context, _ int, h History) ([]violation, error) {
					if runs++; fresh && !test.fresh {
						return []violation{{rule: "oracle x", step: -1}}, nil
					}
					if runs >= test.at && fresh == test.fresh {
						return nil, context.Canceled
					}
					return []violation{{rule: "oracle x", step: -1}}, nil
				},
			}
			again, err := s.shrink(t.Context())
			if got := x.conclude(t.Context(), &finding{turn: turn{number: 1, history: long}}, s, again, err); (got != nil) != (err != nil) {
				t.Errorf("%v became %v", err, got)
			}
			all := x.report.Unstable
			if x.report.Violation != nil {
				all = append(all, x.report.Violation)
			}
			if len(all) != 1 {
				t.Fatalf("%v: %+v", err, x.report)
			}
			if (x.report.Violation != nil) != test.violation || all[0].Interrupted != (err != nil) || all[0].Steps != test.steps || !strings.Contains(string(all[0].Text), test.says) {
				t.Errorf("%v: %+v, %d steps:\n%s", err, x.report, all[0].Steps, all[0].Text)
			}
		})
	}
}
