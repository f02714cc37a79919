package run

import "github.com/simcloud-dev/simcloud/scenarios"

// turn is a scenario that waits to be run, with what ids and addresses follow from.
type turn struct {
	*scenarios.Scenario
	seed uint64
}

// turns are all scenarios, and when they are repeated, all once more, and so
// on: so a cluster changes its seed as seldom as can be.
func (r *Runner) turns(all []*scenarios.Scenario) []turn {
	var turns []turn
	for i := range max(1, r.Repeat) {
		for _, s := range all {
			if r.Repeat > 1 {
				s = s.Repeated(i + 1)
			}
			turns = append(turns, turn{s, r.Seed + uint64(i)})
		}
	}
	return turns
}
