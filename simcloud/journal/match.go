package journal

import "github.com/simcloud-dev/simcloud/simcloud"

// matches reports whether the filter chooses the entry, whatever its number.
func matches(f simcloud.JournalFilter, e *simcloud.JournalEntry) bool {
	return (!f.Errors || e.Code != "") &&
		(!f.Writes || e.Write) &&
		(f.Project == "" || f.Project == e.Caller.Project) &&
		(f.Code == "" || f.Code == e.Code) &&
		faulted(f.Fault, e.Fault) &&
		simcloud.Glob(f.Operation, e.Operation) &&
		simcloud.Glob(f.Resource, e.Resource) &&
		simcloud.Glob(f.UserAgent, e.Caller.UserAgent)
}

// faulted reports whether the wanted fault rule changed a call; "*" is any.
func faulted(wanted, by simcloud.ID) bool {
	return wanted == "" || wanted == by || wanted == "*" && by != ""
}
