package step_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	steps "github.com/simcloud-dev/simcloud/scenarios/step"
)

// expectation parses a step that expects something.
func expectation(t *testing.T, step string) *steps.ExpectAction {
	t.Helper()
	text := "apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec:\n  description: d\n  steps:\n  - capture: {vip: '\"1\"'}\n  - " + step + "\n"
	all, err := run.Parse("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all[0].Steps[1].Action.(*steps.ExpectAction)
}

// node is the Node a.
func node(ready bool) map[string]any {
	status := "False"
	if ready {
		status = "True"
	}
	return map[string]any{
		"metadata": map[string]any{"name": "a", "uid": "uid-a"},
		"status":   map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": status}}},
	}
}

// TestWait runs expectations against a world that changes by a plan, in fake time.
func TestWait(t *testing.T) {
	ready := `condition(nodes["a"], "Ready").status == "True"`
	flip := func(s *observe.Store) { // ready from 1s on, for an instant not, and again not from 5s on
		time.Sleep(time.Second)
		s.SetObject("nodes", "a", node(true))
		time.Sleep(time.Second)
		s.SetObject("nodes", "a", node(false))
		s.SetObject("nodes", "a", node(true))
		time.Sleep(3 * time.Second)
		s.SetObject("nodes", "a", node(false))
	}
	tests := []struct {
		name, step string
		fails      string        // "" when it is met
		after      time.Duration // that it takes
	}{
		{"now, not there", `{expect: '` + ready + `'}`, "the expectation is false", 0},
		{"now, so", `{expect: nodes.size() == 0}`, "", 0},
		{"within", `{expect: '` + ready + `', within: 3s}`, "", time.Second},
		{"within, too late", `{expect: '` + ready + `', within: 900ms}`, "the expectation did not become true within 900ms", 900 * time.Millisecond},
		{"within, two in one snapshot", `{expect: ['` + ready + `', 'elapsed >= duration("1500ms")'], within: 3s}`, "", 1500 * time.Millisecond},
		{"holds sees what lasts no time", `{expect: '!("a" in nodes) || ` + ready + `', holds: 4s}`, "the expectation did not stay true for 4s", 2 * time.Second},
		{"holds", `{expect: '!("a" in nodes) || ` + ready + `', holds: 1500ms}`, "", 1500 * time.Millisecond},
		{"holds needs it from the beginning", `{expect: '` + ready + `', holds: 4s}`, "did not stay true", 0},
		{"never sees what lasts no time", `{expect: '"a" in nodes && condition(nodes["a"], "Ready").status == "False"', never: 4s}`, "must never be true", 2 * time.Second},
		{"never, what is missing is not so", `{expect: 'nodes["a"].metadata.name == "b"', never: 4s}`, "", 4 * time.Second},
		{"never of what is never there proves nothing", `{expect: 'nodes["b"].metadata.name == "b"', never: 4s}`, "no snapshot had what the expression reads", 4 * time.Second},
		{"meanwhile", `{expect: 'elapsed > duration("3s")', within: 5s, meanwhile: '!("a" in nodes) || ` + ready + `'}`, "must be true all the time", 2 * time.Second},
		{"no waiting for a mistake", `{expect: 'dyn(nodes["a"].metadata.name) + 1 == 2', within: 60s}`, "cannot be evaluated", time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := observe.NewStore("default")
				a := expectation(t, test.step)
				var world sync.WaitGroup
				defer world.Wait()
				world.Go(func() { flip(s) })
				err := a.Wait(t.Context(), s, func() {})
				if took := time.Since(s.Start).Round(steps.Tick); took != test.after.Round(steps.Tick) {
					t.Errorf("it took %s, want %s", took, test.after)
				}
				if (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
					t.Errorf("got %v, want %q", err, test.fails)
				}
			})
		})
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("the time is over"))
		defer cancel()
		err := expectation(t, `{expect: nodes.size() == 1, within: 3s}`).Wait(ctx, observe.NewStore("default"), func() {})
		if err == nil || !strings.Contains(err.Error(), "the time is over") {
			t.Errorf("got %v", err)
		}
	})
}

// TestWaitLooksAtTheEnd: what was on its way when the time was over counts.
func TestWaitLooksAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := observe.NewStore("default")
		late := func() { s.SetObject("nodes", "a", node(true)) }
		if err := expectation(t, `{expect: nodes.size() == 0, holds: 3s}`).Wait(t.Context(), s, late); err == nil {
			t.Error("the late change was not seen")
		}
		if err := expectation(t, `{expect: nodes.size() == 1, within: 3s}`).Wait(t.Context(), observe.NewStore("default"), func() {}); err == nil {
			t.Error("nothing came, and it was met")
		}
	})
}
