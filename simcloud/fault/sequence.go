package fault

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Sequence has one effect for each time that the rule fires. After the last one
// the rule fires no more. An operation must be able to have all of them.
type Sequence []Effect

// maxSteps is how long a sequence may be.
const maxSteps = 1000

func (s *Sequence) check(f *fields, path string) {
	if len(*s) == 0 || len(*s) > maxSteps {
		f.add(path, "has %d effects: must have 1 to %d", len(*s), maxSteps)
	}
	for i, step := range *s {
		at := fmt.Sprintf("%s[%d]", path, i)
		if step.Sequence != nil {
			f.add(at+".sequence", "a sequence cannot contain a sequence: put its effects here")
			continue
		}
		step.check(f, at, nil)
	}
}

func (*Sequence) example() Rule {
	return Rule{Match: Match{Operation: "ListZones"}, Effect: Effect{Sequence: &Sequence{
		{Error: &Problem{Code: simcloud.Unavailable}}, {OK: &OK{}}, {Error: &Problem{Code: simcloud.Conflict}},
	}}}
}

func (s *Sequence) fits(e simcloud.Endpoint) bool {
	for _, step := range *s {
		if one, ok := step.one(); ok && one.name != "sequence" && !one.fits(e) {
			return false
		}
	}
	return true
}

func (s *Sequence) of() string { return "those that can have all of its effects" }
