package observe

import (
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Journal keeps the calls of a scenario, whoever made them, for who looks into
// a failure: the cloud forgets them with the next scenario. The harness looks at
// the cloud all the time; of its calls there are those that change something.
type Journal struct {
	NopObserver

	Entries []simcloud.JournalEntry
}

// CallEnded keeps a call.
func (j *Journal) CallEnded(e simcloud.JournalEntry, harness bool) {
	if !harness || e.Write {
		j.Entries = append(j.Entries, e)
	}
}
