package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// TestManyNodes runs what R10 counts on CCMs that make a hundred routes: a call whose answer was late may be
// repeated, with the same idempotency key or without, and no other call.
func TestManyNodes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		late  bool   // whether the first of these calls is answered late
		nodes []int  // whose routes are made after the first 99
		key   string // of these calls
		says  string // "" when it passes
	}{
		"late":                  {true, []int{99, 99}, "", ""},
		"late, same key":        {true, []int{99, 99}, "k", ""},
		"late, and a storm":     {true, []int{99, 99, 99}, "", "repeats = 2"},
		"twice for no reason":   {false, []int{99, 1}, "", "repeats = 1"},
		"one route is too much": {false, []int{99, 100}, "", "distinct().size() = 101"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := steptest.NewCluster(t)
				c.Instead("GetRegion", func(map[string]any) (any, error) {
					for n := range 99 {
						createRoute(t, c.Cloud, n, "")
					}
					if test.late {
						answerLate(t, c.Cloud)
					}
					for _, n := range test.nodes {
						createRoute(t, c.Cloud, n, test.key)
					}
					return nil, nil
				})
				r := counted(t, c)
				switch failed := r.Status == scenarios.Failed && len(r.Failures) == 1; {
				case test.says == "" && r.Status != scenarios.Passed:
					t.Errorf("it is %s (%s), want it to pass: %v", r.Status, r.Error, r.Failures)
				case test.says != "" && (!failed || !strings.Contains(r.Failures[0].String(), test.says)):
					t.Errorf("it is %s (%s), want it to fail with %q: %v", r.Status, r.Error, test.says, r.Failures)
				}
			})
		})
	}
}

// createRoute makes the route of the nth node, and gives up after two seconds.
func createRoute(t *testing.T, c *steptest.Cloud, n int, key string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	var opts []simcloud.CallOption
	if key != "" {
		opts = append(opts, simcloud.IdempotencyKey(key))
	}
	spec := simcloud.RouteSpec{Destination: fmt.Sprintf("10.244.%d.0/24", n), NextHop: simcloud.NextHop{Address: "10.0.0.9"}}
	_, err := c.CCM.CreateRoute(ctx, "rt-1", spec, opts...)
	if err != nil && ctx.Err() == nil && simcloud.CodeOf(err) != simcloud.AlreadyExists {
		t.Error(err)
	}
}

// answerLate lets the answer to the next CreateRoute come when its caller has given up.
func answerLate(t *testing.T, c *steptest.Cloud) {
	t.Helper()
	c.Must(t)(c.AddFault(t.Context(), fault.Rule{
		Name: "late", Match: fault.Match{Operation: "CreateRoute"}, When: fault.When{Times: 1},
		Effect: fault.Effect{Delay: &fault.Delay{Duration: simcloud.Duration(time.Minute)}},
	}))
}

// counted runs the steps of R10 that count calls, after a step that reads a region.
func counted(t *testing.T, c *steptest.Cluster) scenarios.Result {
	t.Helper()
	library, err := Library()
	if err != nil {
		t.Fatal(err)
	}
	r10 := slices.IndexFunc(library, func(s *scenarios.Scenario) bool { return s.Name == "r10-many-nodes" })
	calls, err := Parse("calls.yaml", []byte("apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: one}\n"+
		"spec:\n  description: d\n  ccm: stopped\n  steps:\n  - cloud: {operation: GetRegion, args: {id: x}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	calls[0].SkipOracles = scenarios.Oracles() // they would judge the calls of a whole run
	calls[0].Steps = append(calls[0].Steps, library[r10].Steps[1:3]...)
	w, err := c.World()
	if err != nil {
		t.Fatal(err)
	}
	return execute(t.Context(), w, calls[0], 0, report.NewLines(t.Output(), true))
}
