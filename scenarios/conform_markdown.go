package scenarios

import (
	"fmt"
	"strings"
)

// ConformanceMarkdown writes how a CCM stands for a page of GitHub's Markdown.
func ConformanceMarkdown(c Conformance) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Conformance of %s\n\n%s\n\n", cell(c.Subject), c.Score)
	fmt.Fprintf(&b, "Declared capabilities: %s. Seed %d, %.0f s.\n", strings.Join(c.Capabilities, ", "), c.Seed, c.Seconds)
	b.WriteString("\n| area | passed | applicable | not applicable | not checked |\n|---|---|---|---|---|\n")
	for _, area := range c.Areas {
		s := area.Score
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", area.Title, s.Passed, s.Applicable, s.NotApplicable, s.NotChecked)
	}
	for _, area := range c.Areas {
		fmt.Fprintf(&b, "\n## %s\n\n| clause | status | when | a CCM must |\n|---|---|---|---|\n", area.Title)
		for _, clause := range area.Clauses {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", clause.ID, markedStatus(clause), cell(clause.Case), cell(clause.Must))
		}
		for _, clause := range area.Clauses {
			writeFailuresMarkdown(&b, clause)
		}
	}
	return b.String()
}

// markedStatus is a status that shows, with its reason.
func markedStatus(clause ClauseVerdict) string {
	text := words(Status(clause.Status))
	if clause.Status == ClauseFailed {
		text = "**" + text + "**"
	}
	if clause.Reason != "" {
		text += "<br>" + cell(clause.Reason)
	}
	return text
}

func writeFailuresMarkdown(b *strings.Builder, clause ClauseVerdict) {
	for _, s := range clause.Scenarios {
		if s.Failure == nil {
			continue
		}
		fmt.Fprintf(b, "\n<details><summary>%s: %s failed: %s</summary>\n\n", clause.ID, cell(s.Name), cell(s.Failure.headline()))
		writeFenced(b, "text", s.Failure.String())
		if r := s.Reproduction; r != nil {
			fmt.Fprintf(b, "\n[`%s`](%s) shows it in %s of %d:\n\n", r.File, r.File, plural(r.Steps, "step"), r.Of)
			writeFenced(b, "sh", r.Command)
		}
		b.WriteString("\n</details>\n")
	}
}

// writeFenced writes a text between fences that are longer than any in it.
func writeFenced(b *strings.Builder, language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "%s%s\n%s\n%s\n", fence, language, strings.TrimRight(text, "\n"), fence)
}

// cell is a text that stands in a table, and means itself.
func cell(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", `\|`, "*", `\*`, "`", "\\`", "_", `\_`).Replace(text)
}
