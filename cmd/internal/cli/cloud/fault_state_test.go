package cloud

import (
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

func TestFaultState(t *testing.T) {
	t.Parallel()
	added := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	minute := simcloud.Duration(time.Minute)
	for _, test := range []struct {
		name  string
		rule  fault.Rule
		after time.Duration
		want  string
	}{
		{"plain", fault.Rule{}, 0, faultActive},
		{"hits left", fault.Rule{When: fault.When{Times: 2}, Calls: 5, Hits: 1}, 0, faultActive},
		{"no hits left", fault.Rule{When: fault.When{Times: 2}, Calls: 5, Hits: 2}, 0, faultSpent},
		{"steps left", fault.Rule{Effect: fault.Effect{Sequence: &fault.Sequence{{}, {}}}, Hits: 1}, 0, faultActive},
		{"no steps left", fault.Rule{Effect: fault.Effect{Sequence: &fault.Sequence{{}, {}}}, Hits: 2}, 0, faultSpent},
		{"skips", fault.Rule{When: fault.When{Skip: 3}, Calls: 2}, 0, faultWaiting},
		{"has skipped", fault.Rule{When: fault.When{Skip: 3}, Calls: 3}, 0, faultActive},
		{"too early", fault.Rule{When: fault.When{After: minute}}, 59 * time.Second, faultWaiting},
		{"begun", fault.Rule{When: fault.When{After: minute}}, time.Minute, faultActive},
		{"not over", fault.Rule{When: fault.When{Until: minute}}, 59 * time.Second, faultActive},
		{"over", fault.Rule{When: fault.When{Until: minute}}, time.Minute, faultSpent},
	} {
		test.rule.Added = added
		if got := faultState(test.rule, added.Add(test.after)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
