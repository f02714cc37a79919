package journal

import (
	"github.com/simcloud-dev/simcloud/simcloud"
)

// matches reports whether the filter chooses the entry, whatever its number.
func matches(f simcloud.JournalFilter, e *simcloud.JournalEntry) bool {
	return (!f.Errors || e.Code != "") &&
		(!f.Writes || e.Write) &&
		simcloud.Glob(f.Operation, e.Operation) &&
		simcloud.Glob(f.Resource, e.Resource) &&
		simcloud.Glob(f.UserAgent, e.Caller.UserAgent)
}
