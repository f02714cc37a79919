package scenarios_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/e2e/slots"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/scenariotest"
)

//go:generate go test ./conformance -run ^TestConformanceDoc$ -update
//go:generate go test ./mutant -run ^TestMuseumDoc$ -update
//go:generate go test ./syntax -run ^TestKnownIssuesDoc$ -update

const (
	// envTouched has labels, such as "clause=S15,area=route,name=lb-retry": scenarios that
	// have one of them run too, because a change is about them.
	envTouched = "SIMCLOUD_TOUCHED"
	// sampled is how many scenarios run besides, others for each commit.
	sampled = 4
)

// TestConformance runs scenarios with our provider, each as a subtest: in the gate the
// core ones, one of each clause, those that the change touches, and a sample of the
// others; in the nightly run all that need no packets.
func TestConformance(t *testing.T) {
	machine, err := slots.Here()
	if err != nil {
		t.Fatal(err)
	}
	scenariotest.Run(t, scenariotest.Config{
		Subject: planetest.CCM(t), Parallel: machine.Parallel(),
		Scenarios: chosen(scenariotest.Library(t, "tier in (core,conformance,provider,museum)")),
	})
}

// chosen are the scenarios of this run, in their order.
func chosen(all []*scenarios.Scenario) []*scenarios.Scenario {
	if planetest.InNightly() {
		return all
	}
	names := map[string]bool{}
	first := firstOfClauses(all)
	var others []string
	for _, s := range all {
		switch clause := s.Labels["clause"]; {
		case s.Labels["tier"] == "core", clause != "" && first[clause] == s.Name, touched(s):
			names[s.Name] = true
		default:
			others = append(others, s.Name)
		}
	}
	for _, name := range planetest.Sample(others, sampled) {
		names[name] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(s *scenarios.Scenario) bool { return !names[s.Name] })
}

// firstOfClauses names a scenario for each clause: the first one that does not assert a limit of upstream, if there is one.
func firstOfClauses(all []*scenarios.Scenario) map[string]string {
	first := map[string]string{}
	for _, limits := range []bool{false, true} {
		for _, s := range all {
			clause := s.Labels["clause"]
			if _, limit := s.Labels["limit"]; clause != "" && limit == limits && first[clause] == "" {
				first[clause] = s.Name
			}
		}
	}
	return first
}

// touched reports whether the change is about a scenario.
func touched(s *scenarios.Scenario) bool {
	for _, label := range strings.Split(os.Getenv(envTouched), ",") {
		key, value, _ := strings.Cut(label, "=")
		switch key {
		case "name":
			if s.Base == value {
				return true
			}
		case "clause", "area":
			if (s.Labels["clause"] != "" || s.Labels["tier"] == "provider") && s.Labels[key] == value {
				return true
			}
		}
	}
	return false
}

// TestChosen: the gate has a scenario of each clause, and what a change touches.
func TestChosen(t *testing.T) {
	t.Setenv(planetest.EnvNightly, "")
	t.Setenv(planetest.EnvSample, "")
	t.Setenv(envTouched, "")
	all, err := run.Library()
	if err != nil {
		t.Fatal(err)
	}
	clausesOf := func(list []*scenarios.Scenario) map[string]bool {
		clauses := map[string]bool{}
		for _, s := range list {
			clauses[s.Labels["clause"]] = true
		}
		return clauses
	}
	few := chosen(all)
	if want, got := len(clausesOf(all)), len(clausesOf(few)); got != want {
		t.Errorf("the gate has scenarios of %d clauses, want %d", got, want)
	}
	t.Setenv(envTouched, "clause=L05,name=s15-answer-lost")
	if more := chosen(all); len(more) <= len(few) {
		t.Errorf("%d scenarios when a clause with several is touched, %d without", len(more), len(few))
	}
	t.Setenv(envTouched, "area=volume")
	if more := chosen(all); len(more) != len(few)+1 {
		t.Errorf("%d scenarios when what is about volumes is touched, %d without", len(more), len(few))
	}
	t.Setenv(planetest.EnvSample, "some commit")
	first := chosen(all)
	t.Setenv(planetest.EnvSample, "another commit")
	if second := chosen(all); len(first) != len(second) || slices.Equal(first, second) {
		t.Errorf("samples of two commits have %d and %d scenarios, and are equal: %v", len(first), len(second), slices.Equal(first, second))
	}
}
