package report

import (
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// mostCauseNames is how many scenarios a line names that fail for one reason.
const mostCauseNames = 20

// cause is what several scenarios fail for.
type cause struct {
	Finding string
	// Count is how many scenarios fail for it; Names are the results to look at, one of each.
	Count int
	Names []string
}

// causesOf are the causes that several scenarios that failed have in common. Repetitions of one are one.
func causesOf(r scenarios.Report) (causes []cause) {
	var groups scenarios.Causes
	first := map[string]string{}
	for _, s := range r.Scenarios {
		if s.Status != scenarios.Failed {
			continue
		}
		name := baseName(s.Name)
		if first[name] == "" {
			first[name] = s.Name
		}
		for _, f := range s.Failures {
			groups.Add(name, f)
		}
	}
	for _, shared := range groups.Shared() {
		c := cause{Finding: clipped(shared.Finding, mostHeadline), Count: len(shared.Names)}
		for _, name := range shared.Names[:min(len(shared.Names), mostCauseNames)] {
			c.Names = append(c.Names, first[name])
		}
		causes = append(causes, c)
	}
	return causes
}

// More is how many scenarios it does not name.
func (c cause) More() int { return c.Count - len(c.Names) }

// String says how many scenarios fail for it.
func (c cause) String() string {
	names := strings.Join(c.Names, ", ")
	if more := c.More(); more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%d scenarios fail for one reason (%s): %s", c.Count, names, c.Finding)
}
