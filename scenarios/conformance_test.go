package scenarios_test

import (
	"os"
	"slices"
	"strconv"
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
	// share is which part of an area's clauses run for a commit: one of so many, and at least one.
	share = 3
)

// TestConformance runs scenarios with our provider, each as a subtest: in the gate the
// core ones, one of each clause of a sample, those that the change touches, and a sample of the
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
	clauses := map[string][]string{} // the first scenarios of clauses, by area
	var others []string
	for _, s := range all {
		switch clause := s.Labels["clause"]; {
		case s.Labels["tier"] == "core", touched(s):
			names[s.Name] = true
		case clause != "" && first[clause] == s.Name:
			clauses[s.Labels["area"]] = append(clauses[s.Labels["area"]], s.Name)
		default:
			others = append(others, s.Name)
		}
	}
	picked := planetest.Sample(others, sampled)
	for _, ofArea := range clauses {
		picked = append(picked, planetest.Sample(ofArea, (len(ofArea)+share-1)/share)...)
	}
	for _, name := range picked {
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

// TestChosen: the gate has a scenario of each area, a third of the clauses, each clause for some commits, and what a change
// touches.
func TestChosen(t *testing.T) {
	t.Setenv(planetest.EnvNightly, "")
	t.Setenv(planetest.EnvSample, "some commit")
	t.Setenv(envTouched, "")
	all, err := run.Library()
	if err != nil {
		t.Fatal(err)
	}
	valuesOf := func(label string, lists ...[]*scenarios.Scenario) map[string]bool {
		values := map[string]bool{}
		for _, s := range slices.Concat(lists...) {
			values[s.Labels[label]] = true
		}
		return values
	}
	few := chosen(all)
	clauses := len(valuesOf("clause", all))
	areas := valuesOf("area", few)
	for _, s := range all {
		if s.Labels["clause"] != "" && !areas[s.Labels["area"]] {
			t.Fatalf("the gate has no scenario of the area %s", s.Labels["area"])
		}
	}
	if got := len(valuesOf("clause", few)); got < clauses/share || got > clauses/2+sampled {
		t.Errorf("the gate has scenarios of %d of %d clauses, want about a third", got, clauses)
	}
	t.Setenv(envTouched, "clause=L05,name=s15-answer-lost")
	more := chosen(all)
	isOf := func(s *scenarios.Scenario) bool { return s.Labels["clause"] == "L05" || s.Name == "s15-answer-lost" }
	for _, s := range all {
		if isOf(s) && !slices.Contains(more, s) {
			t.Errorf("%s is not run, and the change touches it", s.Name)
		}
	}
	lists := [][]*scenarios.Scenario{few}
	t.Setenv(envTouched, "")
	for i := range 30 {
		t.Setenv(planetest.EnvSample, strconv.Itoa(i))
		lists = append(lists, chosen(all))
	}
	if slices.Equal(lists[1], lists[2]) {
		t.Error("two commits have the same scenarios")
	}
	if got := len(valuesOf("clause", lists...)); got != clauses {
		t.Errorf("thirty commits run scenarios of %d clauses, want %d", got, clauses)
	}
}
