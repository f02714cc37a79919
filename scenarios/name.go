package scenarios

import (
	"fmt"
)

// repetitionMark stands between the name of a scenario and the number of its repetition.
const repetitionMark = "#"

// repeated is the scenario under the name of one of its repetitions, which count from 1.
func (s *Scenario) repeated(n int) *Scenario {
	other := *s
	other.Name = fmt.Sprintf("%s%s%d", s.Name, repetitionMark, n)
	return &other
}
