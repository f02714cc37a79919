package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// FileName is the verdict in the folder of a report.
const FileName = "conformance.json"

// Load reads a verdict that [Write] has written.
func Load(file string) (c Verdict, err error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return c, fmt.Errorf("read the verdict: %w", err)
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, fmt.Errorf("%s is not a verdict of simcloud conformance, or not a whole one: %w", file, err)
	}
	if len(c.Areas) == 0 {
		return c, fmt.Errorf("%s is not a verdict of simcloud conformance: it has no areas", file)
	}
	return c, nil
}

// Merge judges by the merged report of several runs, each of which had a part of the scenarios: a clause whose scenarios
// were in several parts is judged by all of them. Of all the scenarios, those that no part had are not selected. The
// verdicts of the parts, of which there is one at least, must be of the same capabilities and areas.
func Merge(parts []Verdict, report scenarios.Report, all []*scenarios.Scenario) (Verdict, error) {
	first := parts[0]
	for _, part := range parts[1:] {
		if a, b := strings.Join(first.Capabilities, ", "), strings.Join(part.Capabilities, ", "); a != b {
			return Verdict{}, fmt.Errorf("the verdicts are of other capabilities: %s, and %s", a, b)
		}
		if a, b := strings.Join(areaNames(first), ", "), strings.Join(areaNames(part), ", "); a != b {
			return Verdict{}, fmt.Errorf("the verdicts are of other areas: %s, and %s", a, b)
		}
	}
	declared := scenarios.CapabilitySet{}
	for _, name := range first.Capabilities {
		declared[name] = true
	}
	ran := map[string]bool{}
	for _, r := range report.Scenarios {
		ran[r.Name] = true
	}
	var leftOut []string
	for _, s := range (Conformer{Capabilities: declared, Areas: areaNames(first)}).Applicable(all) {
		if !ran[s.Name] {
			leftOut = append(leftOut, s.Name)
		}
	}
	merged := judge(report, all, declared, areaNames(first), leftOut)
	merged.attach(reproductionsOf(parts))
	return merged, nil
}

func areaNames(c Verdict) (names []string) {
	for _, area := range c.Areas {
		names = append(names, area.Name)
	}
	slices.Sort(names)
	return names
}

// reproductionsOf are what reproduces the failures of the parts, by scenario.
func reproductionsOf(parts []Verdict) map[string]*Reproduction {
	made := map[string]*Reproduction{}
	for _, part := range parts {
		for _, area := range part.Areas {
			for _, clause := range area.Clauses {
				for _, s := range clause.Scenarios {
					if s.Reproduction != nil {
						made[s.Name] = s.Reproduction
					}
				}
			}
		}
	}
	return made
}
