package report

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// knownText says of a scenario that is known to fail how it ended, and which issue has it; empty for any other.
func knownText(s scenarios.Result) string {
	if s.Known == nil {
		return ""
	}
	return s.KnownWords() + ": " + s.Known.String()
}

// KnownMarkdown is an entry of the list of known failures, with a link to its issue.
func KnownMarkdown(k scenarios.KnownFailure) string {
	return fmt.Sprintf("[%s](%s): %s", escape.Markdown(k.Issue), k.Link(), escape.Markdown(k.Why))
}

// countedWords are the words of a status of which there are n: "known failures", but "failed".
func countedWords(s scenarios.Status, n int) string {
	if s == scenarios.KnownFailed && n != 1 {
		return s.Words() + "s"
	}
	return s.Words()
}
