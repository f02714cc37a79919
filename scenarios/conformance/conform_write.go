package conformance

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// Write writes conformance.json and conformance.md into dir, beside
// what [report.Write] writes there.
func Write(dir string, c Verdict) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	raw, err := report.IndentedJSON(c)
	if err != nil {
		return err
	}
	return errors.Join(
		report.WriteFile(filepath.Join(dir, FileName), raw),
		report.WriteFile(filepath.Join(dir, "conformance.md"), []byte(Markdown(c))),
	)
}

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
	if len(c.Causes) > 0 {
		b.WriteString("\n")
	}
	for _, cause := range c.Causes {
		fmt.Fprintf(&b, "%s\n", cause)
	}
	fmt.Fprintf(&b, "\n%s keeps %s.\n", c.Subject, c.Score)
	if len(c.SkipOracles) > 0 {
		fmt.Fprintf(&b, "oracles that the profile leaves out: %s\n", strings.Join(c.SkipOracles, ", "))
	}
	b.WriteString(report.UnsimulatedText(c.Unsimulated))
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
		if s.Known != nil {
			fmt.Fprintf(b, "%s%s: %s: %s\n", indent, s.Name, s.knownWords(), s.Known)
		}
		if s.Failure == nil {
			continue
		}
		fmt.Fprintf(b, "%s%s: %s\n%s", indent, s.Name, findingOf(*s.Failure), words.Indented(words.Wrapped(s.Failure.Because), indent+"  "))
		if s.Reproduction != nil {
			fmt.Fprintf(b, "%s  %s\n", indent, s.Reproduction.Command)
			if often := s.Reproduction.Often(); often != "" {
				fmt.Fprintf(b, "%s  shows it %s\n", indent, often)
			}
		}
	}
}

// knownWords says how a scenario that is known to fail ended.
func (v ScenarioVerdict) knownWords() string {
	return scenarios.Result{Status: v.Status, Known: v.Known}.KnownWords()
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

// Summary writes how a CCM stands in each area, for a page of GitHub's Markdown.
func Summary(c Verdict) string {
	var b strings.Builder
	writeSummary(&b, c)
	return b.String()
}

// Markdown writes how a CCM stands, clause by clause, for a page of GitHub's Markdown.
func Markdown(c Verdict) string {
	var b strings.Builder
	writeSummary(&b, c)
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

func writeSummary(b *strings.Builder, c Verdict) {
	fmt.Fprintf(b, "# Conformance of %s\n\n%s\n\n", escape.Markdown(c.Subject), c.Score)
	fmt.Fprintf(b, "Declared capabilities: %s. Seed %d, %.0f s.\n", strings.Join(c.Capabilities, ", "), c.Seed, c.Seconds)
	if len(c.SkipOracles) > 0 {
		fmt.Fprintf(b, "Oracles that the profile leaves out: %s.\n", strings.Join(c.SkipOracles, ", "))
	}
	b.WriteString("\n| area | passed | known failures | applicable | not applicable | undecided | not checked | not run |\n|---|---|---|---|---|---|---|---|\n")
	for _, area := range c.Areas {
		s := area.Score
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d | %d |\n", area.Title, s.Passed, s.KnownFailures, s.Applicable, s.NotApplicable, s.Undecided, s.NotChecked, s.NotRun)
	}
	if len(c.Causes) > 0 {
		b.WriteString("\n")
	}
	for _, cause := range c.Causes {
		fmt.Fprintf(b, "- %s\n", escape.Markdown(cause.String()))
	}
	if len(c.Unsimulated) > 0 {
		b.WriteString("\nThe CCM asked for what simcloud does not simulate, so what follows from these calls is not its fault:\n\n")
	}
	for _, call := range c.Unsimulated {
		fmt.Fprintf(b, "- %s\n", escape.Markdown(call))
	}
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
	for _, s := range clause.Scenarios {
		if s.Known != nil {
			text += "<br>" + escape.Markdown(s.Name) + ": " + s.knownWords() + ": " + report.KnownMarkdown(*s.Known)
		}
	}
	return text
}

// endedAs says how a scenario with a failure ended.
func endedAs(s scenarios.Status) string {
	if s == scenarios.Undecided {
		return "is undecided"
	}
	return "failed"
}

func writeFailuresMarkdown(b *strings.Builder, clause ClauseVerdict) {
	for _, s := range clause.Scenarios {
		if s.Failure == nil {
			continue
		}
		fmt.Fprintf(b, "\n<details><summary>%s: %s %s: %s</summary>\n\n", clause.ID, escape.Markdown(s.Name), endedAs(s.Status), escape.Markdown(findingOf(*s.Failure)))
		b.WriteString(escape.Fence("text", s.Failure.String()))
		if r := s.Reproduction; r != nil {
			fmt.Fprintf(b, "\n%s:\n\n", r.Shows(fmt.Sprintf("[%s](%s)", escape.Markdown(r.File), &url.URL{Path: r.File})))
			b.WriteString(escape.Fence("sh", r.Command))
		}
		b.WriteString("\n</details>\n")
	}
}
