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
	// sampled is how many scenarios run besides, others for each commit: all of them run in simulated time.
	sampled = 4
	// mostTouched is how many run of those that a change is about.
	mostTouched = 12
	// crash kills the process of the CCM. Simulated time has no processes.
	crash = "s16-killed-while-creating"
)

// TestConformance runs scenarios with our provider on control planes, each as a subtest: in the gate the
// core ones, one that kills it, a sample, and some of those that the change touches; in the nightly run all that need no packets.
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
	var about, others []string
	for _, s := range all {
		switch {
		case s.Labels["tier"] == "core" || s.Base == crash:
			names[s.Name] = true
		case touched(s):
			about = append(about, s.Name)
		default:
			others = append(others, s.Name)
		}
	}
	for _, name := range slices.Concat(planetest.Sample(about, mostTouched), planetest.Sample(others, sampled)) {
		names[name] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(s *scenarios.Scenario) bool { return !names[s.Name] })
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

// TestChosen: the gate has the core scenarios and a crash, what a change touches as far as there is room, and others for each commit.
func TestChosen(t *testing.T) {
	t.Setenv(planetest.EnvNightly, "")
	t.Setenv(planetest.EnvSample, "some commit")
	t.Setenv(envTouched, "")
	all, err := run.Library()
	if err != nil {
		t.Fatal(err)
	}
	named := func(few []*scenarios.Scenario, name string) bool {
		return slices.ContainsFunc(few, func(s *scenarios.Scenario) bool { return s.Name == name })
	}
	few := chosen(all)
	always := 0
	for _, s := range all {
		if s.Labels["tier"] == "core" || s.Base == crash {
			always++
			if !named(few, s.Name) {
				t.Errorf("%s is not run", s.Name)
			}
		}
	}
	if len(few) != always+sampled || always < 6 {
		t.Errorf("the gate has %d scenarios, %d of them for each commit", len(few), always)
	}
	t.Setenv(envTouched, "clause=L05,name=s15-answer-lost")
	more := chosen(all)
	for _, s := range all {
		if (s.Labels["clause"] == "L05" || s.Name == "s15-answer-lost") && !named(more, s.Name) {
			t.Errorf("%s is not run, and the change touches it", s.Name)
		}
	}
	t.Setenv(envTouched, "area=service,area=node,area=route")
	if got := len(chosen(all)); got != always+sampled+mostTouched {
		t.Errorf("a change that touches all has %d scenarios, want %d", got, always+sampled+mostTouched)
	}
	t.Setenv(envTouched, "")
	t.Setenv(planetest.EnvSample, "another commit")
	if slices.Equal(few, chosen(all)) {
		t.Error("two commits have the same scenarios")
	}
}
