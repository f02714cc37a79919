package conformance

import (
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// Text writes how a CCM stands, area by area and clause by clause, for a terminal.
func Text(c Verdict) string {
	var b strings.Builder
	for _, area := range c.Areas {
		fmt.Fprintf(&b, "\n%s (%s): %s\n", area.Title, area.Name, area.Score)
		for _, clause := range area.Clauses {
			fmt.Fprintf(&b, "  %-4s %-14s %s\n", clause.ID, scenarios.Status(clause.Status).Words(), clause.Case)
			writeClauseText(&b, clause)
		}
	}
	fmt.Fprintf(&b, "\n%s keeps %s.\n", c.Subject, c.Score)
	return escape.Block(b.String())
}

// writeClauseText says why a clause is not simply passed.
func writeClauseText(b *strings.Builder, clause ClauseVerdict) {
	const indent = "                      "
	if clause.Status == ClauseFailed {
		fmt.Fprintf(b, "%sa CCM must %s\n", indent, clause.Must)
	}
	if clause.Reason != "" {
		fmt.Fprintf(b, "%s%s\n", indent, clause.Reason)
	}
	for _, s := range clause.Scenarios {
		if s.Failure == nil {
			continue
		}
		fmt.Fprintf(b, "%s%s: %s\n%s", indent, s.Name, findingOf(*s.Failure), words.Indented(words.Wrapped(s.Failure.Because), indent+"  "))
		if s.Reproduction != nil {
			fmt.Fprintf(b, "%s  %s\n", indent, s.Reproduction.Command)
		}
	}
}

// headline says in a line which step or oracle found what.
func findingOf(f scenarios.Failure) string {
	text := f.Headline
	if f.Oracle != "" {
		text = "oracle " + f.Oracle + ": " + text
	}
	text, _, _ = strings.Cut(text, "\n")
	return text
}
