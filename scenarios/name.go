package scenarios

import (
	"fmt"
)

// RepetitionMark stands between the name of a scenario and the number of its repetition.
const RepetitionMark = "#"

// Repeated is the scenario under the name of one of its repetitions, which count from 1.
func (s *Scenario) Repeated(n int) *Scenario {
	other := *s
	other.Name = fmt.Sprintf("%s%s%d", s.Name, RepetitionMark, n)
	return &other
}
