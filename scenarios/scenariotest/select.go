package scenariotest

import (
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// Library returns those of the scenarios that simcloud includes whose labels
// match, such as "tier=conformance,area!=route"; the label name is their name. An
// empty selector is all. None at all is fatal: a test of nothing proves nothing.
func Library(t *testing.T, selector string) []*scenarios.Scenario {
	t.Helper()
	all, err := run.Library()
	return selected(t, all, err, selector)
}

// Load returns the scenarios of files and folders.
func Load(t *testing.T, paths ...string) []*scenarios.Scenario {
	t.Helper()
	all, err := run.Load(t.Context(), paths...)
	return selected(t, all, err, "")
}

func selected(t *testing.T, all []*scenarios.Scenario, err error, selector string) []*scenarios.Scenario {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := labels.Parse(selector)
	if err != nil {
		t.Fatalf("the selector %q: %v", selector, err)
	}
	var found []*scenarios.Scenario
	for _, s := range all {
		own := labels.Set{"name": s.Name}
		maps.Copy(own, s.Labels)
		if wanted.Matches(own) {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		t.Fatalf("the selector %q matches none of %d scenarios", selector, len(all))
	}
	return found
}
