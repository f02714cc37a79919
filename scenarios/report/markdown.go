package report

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// Limits of the summary: GitHub shows a mebibyte of all that a step writes, and of more nothing.
const (
	mostMarkdown  = 512 << 10 // of failures, in bytes
	mostTable     = 256 << 10 // of the table of all scenarios
	mostOneReport = 24 << 10  // of one scenario's failures
)

// statusMarks say how a scenario ended.
var statusMarks = map[scenarios.Status]string{scenarios.Passed: "✅", scenarios.Failed: "❌", scenarios.KnownFailed: "⚠️", scenarios.Undecided: "❔", scenarios.Invalid: "📝", scenarios.Broken: "💥", scenarios.Skipped: "⏭️", scenarios.Interrupted: "✋", scenarios.NotRun: "⬜"}

// Markdown writes the report as GitHub shows it in the summary of a job.
func Markdown(r scenarios.Report) string {
	var b strings.Builder
	mark := statusMarks[scenarios.Passed]
	if !isGood(r) {
		mark = statusMarks[scenarios.Failed]
	}
	fmt.Fprintf(&b, "## %s simcloud: %s\n\n", mark, verdictOf(r))
	for _, f := range factsOf(r) {
		fmt.Fprintf(&b, "- %s: %s\n", f.Name, escape.Markdown(f.Value))
	}
	for _, c := range causesOf(r) {
		fmt.Fprintf(&b, "- %s\n", escape.Markdown(c.String()))
	}
	b.WriteString("\n")
	all := worstFirst(r.Scenarios)
	left := 0
	for _, s := range all {
		if IsHarmless(s.Status) {
			continue
		}
		text := markdownFailure(r, s)
		if b.Len()+len(text) > mostMarkdown {
			left++
			continue
		}
		b.WriteString(text)
	}
	if left > 0 {
		fmt.Fprintf(&b, "%s more with failures: `report.html` has all.\n\n", words.Plural(left, "scenario"))
	}
	b.WriteString(markdownTable(all))
	return b.String()
}

// markdownFailure shows what was wrong with a scenario, folded away but for its headline.
func markdownFailure(r scenarios.Report, s scenarios.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%s <b>%s</b> (%.1f s): %s</summary>\n\n", statusMarks[s.Status], escape.Markdown(s.Name), s.Seconds, escape.Markdown(headlineOf(s)))
	var text strings.Builder
	for _, f := range s.Failures {
		text.WriteString(f.String())
	}
	if s.Reason != "" {
		fmt.Fprintf(&text, "%s: %s\n", s.Status.Words(), s.Reason)
	}
	if s.Error != "" {
		fmt.Fprintf(&text, "the environment failed: %s\n", s.Error)
	}
	b.WriteString(escape.Fence("text", clipped(text.String(), mostOneReport)) + "\n")
	fmt.Fprintf(&b, "Again:\n\n%s\n</details>\n\n", escape.Fence("sh", againCommand(r, s)))
	return b.String()
}

func markdownTable(all []scenarios.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%s</summary>\n\n| | scenario | area | seconds | |\n|---|---|---|---:|---|\n", words.Plural(len(all), "scenario"))
	for i, s := range all {
		row := markdownRow(s)
		if b.Len()+len(row) > mostTable {
			fmt.Fprintf(&b, "| | %s more: report.html has all | | | |\n", words.Plural(len(all)-i, "scenario"))
			break
		}
		b.WriteString(row)
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

func markdownRow(s scenarios.Result) string {
	what := headlineOf(s)
	if what == "" {
		what = s.Reason
	}
	what = escape.Markdown(clipped(what, 200))
	if len(s.Warnings) > 0 {
		what = escape.Markdown(clipped(warningLines(s), mostHeadline))
	}
	if s.Known != nil {
		what = s.KnownWords() + ": " + KnownMarkdown(*s.Known)
	}
	return fmt.Sprintf("| %s | %s | %s | %.1f | %s |\n",
		statusMarks[s.Status], escape.Markdown(s.Name), escape.Markdown(s.Labels["area"]), s.Seconds, what)
}

// clipped is the beginning of a text that is longer than some bytes.
func clipped(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("… (%d bytes more)", len(text)-most)
}

// AppendSummary appends the report as Markdown to a file, such as that of $GITHUB_STEP_SUMMARY.
func AppendSummary(file string, r scenarios.Report) error { return AppendText(file, Markdown(r)) }

// AppendText appends a text to such a file.
func AppendText(file, text string) (err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.WriteString(text + "\n"); err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	return nil
}
