package conformance

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// Markdown writes how a CCM stands for a page of GitHub's Markdown.
func Markdown(c Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Conformance of %s\n\n%s\n\n", escape.Markdown(c.Subject), c.Score)
	fmt.Fprintf(&b, "Declared capabilities: %s. Seed %d, %.0f s.\n", strings.Join(c.Capabilities, ", "), c.Seed, c.Seconds)
	b.WriteString("\n| area | passed | applicable | not applicable | not checked |\n|---|---|---|---|---|\n")
	for _, area := range c.Areas {
		s := area.Score
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", area.Title, s.Passed, s.Applicable, s.NotApplicable, s.NotChecked)
	}
	for _, area := range c.Areas {
		fmt.Fprintf(&b, "\n## %s\n\n| clause | status | when | a CCM must |\n|---|---|---|---|\n", area.Title)
		for _, clause := range area.Clauses {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", clause.ID, markedStatus(clause), escape.Markdown(clause.Case), escape.Markdown(clause.Must))
		}
		for _, clause := range area.Clauses {
			writeFailuresMarkdown(&b, clause)
		}
	}
	return b.String()
}

// markedStatus is a status that shows, with its reason.
func markedStatus(clause ClauseVerdict) string {
	text := scenarios.Status(clause.Status).Words()
	if clause.Status == ClauseFailed {
		text = "**" + text + "**"
	}
	if clause.Reason != "" {
		text += "<br>" + escape.Markdown(clause.Reason)
	}
	return text
}

func writeFailuresMarkdown(b *strings.Builder, clause ClauseVerdict) {
	for _, s := range clause.Scenarios {
		if s.Failure == nil {
			continue
		}
		fmt.Fprintf(b, "\n<details><summary>%s: %s failed: %s</summary>\n\n", clause.ID, escape.Markdown(s.Name), escape.Markdown(findingOf(*s.Failure)))
		b.WriteString(escape.Fence("text", s.Failure.String()))
		if r := s.Reproduction; r != nil {
			fmt.Fprintf(b, "\n[%s](%s) shows it in %s of %d:\n\n", escape.Markdown(r.File), &url.URL{Path: r.File}, words.Plural(r.Steps, "step"), r.Of)
			b.WriteString(escape.Fence("sh", r.Command))
		}
		b.WriteString("\n</details>\n")
	}
}
