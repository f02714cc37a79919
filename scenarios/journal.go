package scenarios

import (
	"github.com/simcloud-dev/simcloud/simcloud"
)

// journal keeps the calls of a scenario, whoever made them, for who looks into
// a failure: the cloud forgets them with the next scenario. The harness looks at
// the cloud all the time; of its calls there are those that change something.
type journal struct {
	bystander

	entries []simcloud.JournalEntry
}

func (j *journal) callEnded(e simcloud.JournalEntry, harness bool) {
	if !harness || e.Write {
		j.entries = append(j.entries, e)
	}
}
