package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestDiffReports has a scenario for each way in which one can go otherwise, and some that went the same way.
func TestDiffReports(t *testing.T) {
	t.Parallel()
	failure := func(headline string) []scenarios.Failure { return []scenarios.Failure{{Headline: headline}} }
	before := scenarios.Report{Scenarios: []scenarios.Result{
		{Name: "same", Status: scenarios.Passed, Seconds: 10},
		{Name: "breaks", Status: scenarios.Passed, Seconds: 1},
		{Name: "unmasked", Status: scenarios.KnownFailed, Failures: failure("as known")},
		{Name: "fails", Status: scenarios.Failed, Failures: failure("old")},
		{Name: "wrong", Status: scenarios.Failed},
		{Name: "recovers", Status: scenarios.Failed, Failures: failure("old")},
		{Name: "unfit", Status: scenarios.Passed},
		{Name: "forgiven", Status: scenarios.Failed},
		{Name: "leaves", Status: scenarios.Failed, Failures: failure("last seen")},
		{Name: "wavers", Status: scenarios.Passed, Seconds: 1},
		{Name: "drags", Status: scenarios.Passed, Seconds: 4},
		{Name: "hastes", Status: scenarios.Passed, Seconds: 6},
		{Name: "short", Status: scenarios.Passed, Seconds: 0.1},
		{Name: "long", Status: scenarios.Passed, Seconds: 100},
		{Name: "slow-failure", Status: scenarios.KnownFailed, Seconds: 4},
		{Name: "often#1", Status: scenarios.Passed, Seconds: 2},
		{Name: "often#2", Status: scenarios.Passed, Seconds: 4},
	}}
	after := scenarios.Report{Scenarios: []scenarios.Result{
		{Name: "same", Status: scenarios.Passed, Seconds: 11},
		{Name: "breaks", Status: scenarios.Failed, Seconds: 31, Failures: failure("timed out\nafter 30s")},
		{Name: "unmasked", Status: scenarios.Failed, Failures: failure("not as known")},
		{Name: "fails", Status: scenarios.Failed, Failures: failure("other")},
		{Name: "wrong", Status: scenarios.Invalid, Failures: failure("no such kind")},
		{Name: "recovers", Status: scenarios.Passed},
		{Name: "unfit", Status: scenarios.Skipped, Reason: "it needs routes"},
		{Name: "forgiven", Status: scenarios.KnownFailed},
		{Name: "wavers", Status: scenarios.Passed, Seconds: 30, Retries: 1, Flaked: failure("once")},
		{Name: "drags", Status: scenarios.Passed, Seconds: 6},
		{Name: "hastes", Status: scenarios.Passed, Seconds: 4},
		{Name: "short", Status: scenarios.Passed, Seconds: 2},
		{Name: "long", Status: scenarios.Passed, Seconds: 149},
		{Name: "slow-failure", Status: scenarios.KnownFailed, Seconds: 40},
		{Name: "often#1", Status: scenarios.Passed, Seconds: 3},
		{Name: "often#2", Status: scenarios.Failed, Seconds: 3, Failures: failure("seldom")},
		{Name: "often#3", Status: scenarios.Passed, Seconds: 3},
		{Name: "comes", Status: scenarios.Passed, Seconds: 2},
		{Name: "comes-and-fails", Status: scenarios.Failed, Failures: failure("at once")},
	}}
	want := Diff{Regressions: 4, Changes: []Change{
		{Scenario: "breaks", Kind: NewlyFailed, Old: scenarios.Passed, New: scenarios.Failed, OldSeconds: 1, NewSeconds: 31, What: "timed out …"},
		{Scenario: "comes-and-fails", Kind: NewlyFailed, New: scenarios.Failed, What: "at once"},
		{Scenario: "often", Kind: NewlyFailed, Old: scenarios.Passed, New: scenarios.Failed, OldSeconds: 3, NewSeconds: 3, What: "1 of 3 runs failed: seldom"},
		{Scenario: "unmasked", Kind: NewlyFailed, Old: scenarios.KnownFailed, New: scenarios.Failed, What: "not as known"},
		{Scenario: "fails", Kind: StillFailed, Old: scenarios.Failed, New: scenarios.Failed, What: "other"},
		{Scenario: "wrong", Kind: StillFailed, Old: scenarios.Failed, New: scenarios.Invalid, What: "no such kind"},
		{Scenario: "wavers", Kind: Flaky, Old: scenarios.Passed, New: scenarios.Passed, OldSeconds: 1, NewSeconds: 30, What: "once"},
		{Scenario: "recovers", Kind: NewlyPassed, Old: scenarios.Failed, New: scenarios.Passed},
		{Scenario: "forgiven", Kind: EndedOtherwise, Old: scenarios.Failed, New: scenarios.KnownFailed},
		{Scenario: "unfit", Kind: EndedOtherwise, Old: scenarios.Passed, New: scenarios.Skipped, What: "it needs routes"},
		{Scenario: "leaves", Kind: Gone, Old: scenarios.Failed, What: "last seen"},
		{Scenario: "comes", Kind: New, New: scenarios.Passed, NewSeconds: 2},
		{Scenario: "drags", Kind: Slower, Old: scenarios.Passed, New: scenarios.Passed, OldSeconds: 4, NewSeconds: 6},
		{Scenario: "hastes", Kind: Faster, Old: scenarios.Passed, New: scenarios.Passed, OldSeconds: 6, NewSeconds: 4},
	}}
	got := DiffReports(before, after)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if text := got.String(); text != "4 newly failed, 2 still failed, 1 flaky, 1 newly passed, 2 ended otherwise, 1 gone, 1 new, 1 slower, 1 faster" {
		t.Error(text)
	}
	if same := DiffReports(before, before); same.Regressions != 0 || same.count(StillFailed) != len(same.Changes) || len(same.Changes) != 5 {
		t.Errorf("with itself: %+v", same)
	}
	if none := DiffReports(scenarios.Report{}, scenarios.Report{}); none.String() != "no differences" || none.Changes == nil {
		t.Errorf("of nothing: %+v", none)
	}
}
