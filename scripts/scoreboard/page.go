package main

import (
	_ "embed" // the paragraphs
	"fmt"
	"path"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/conformance"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

const head = `# Scoreboard

How the cloud controller managers (CCMs) of real clouds stand against the [clauses](conformance.md). Each runs as it is
published, unmodified, against the API of its cloud as simcloud serves it, started by its profile. ` + "`make scoreboard`" + `
runs all of them and writes this page.

A clause is *passed*, ***failed***, a *known failure*, which the profile of the CCM names with its issue, or *–*, when it needs
something that the CCM or its cloud does not have. For each failure, known or not, there is a scenario that has shown it, and the command
that runs it. Some failures come and go: *in 5 of 10 runs* tells how often the scenario showed its failure when it was run again.
A failure is no judgement of a project: most are decisions that it has taken knowingly.
`

// differences are paragraphs about what the CCMs do differently. A person has written them: no run can.
//
//go:embed differences.md
var differences string

// page writes the whole page.
func page(columns []column) string {
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("\n| CCM | version | clauses passed |\n|---|---|---|\n")
	for _, c := range columns {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", escape.Markdown(c.name), escape.Markdown(c.version), c.verdict.Score)
	}
	b.WriteString("\n" + differences)
	for i, area := range columns[0].verdict.Areas {
		fmt.Fprintf(&b, "\n## %s\n\n| clause | when | a CCM must |", area.Title)
		for _, c := range columns {
			fmt.Fprintf(&b, " %s |", escape.Markdown(c.name))
		}
		b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(columns)) + "\n")
		for j, clause := range area.Clauses {
			fmt.Fprintf(&b, "| %s | %s | %s |", clause.ID, escape.Markdown(clause.Case), escape.Markdown(clause.Must))
			for _, c := range columns {
				fmt.Fprintf(&b, " %s |", c.cell(i, j))
			}
			b.WriteString("\n")
		}
	}
	for _, c := range columns {
		c.writeFailures(&b)
	}
	return b.String()
}

// cell says how a CCM stands against a clause.
func (c column) cell(area, clause int) string {
	if area >= len(c.verdict.Areas) || clause >= len(c.verdict.Areas[area].Clauses) {
		return "not checked"
	}
	v := c.verdict.Areas[area].Clauses[clause]
	switch v.Status {
	case conformance.ClausePassed:
		return "passed"
	case conformance.ClauseFailed:
		return fmt.Sprintf("[**failed**](#%s)", c.anchor(v.ID))
	case conformance.ClauseKnownFailed:
		return fmt.Sprintf("[known failure](#%s)%s", c.anchor(v.ID), issuesOf(v))
	case conformance.ClauseNotApplicable:
		return "–"
	case conformance.ClauseUndecided:
		return "undecided"
	case conformance.ClauseNotRun:
		return "not run"
	default:
		return "not checked"
	}
}

// issuesOf are links to the issues of the failures of a clause that are known, each once.
func issuesOf(v conformance.ClauseVerdict) string {
	var links string
	for _, s := range v.Scenarios {
		if s.Status != scenarios.KnownFailed || s.Known == nil {
			continue
		}
		link := fmt.Sprintf(" [%s](%s)", escape.Markdown(s.Known.Issue), s.Known.Link())
		if !strings.Contains(links, link) {
			links += link
		}
	}
	return links
}

// anchor is what the heading of a failed clause is linked by.
func (c column) anchor(clause string) string { return strings.ToLower(c.name + "-" + clause) }

// writeFailures tells of each failure what was found, and how to see it.
func (c column) writeFailures(b *strings.Builder) {
	failures := c.failures()
	if len(failures) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## What %s fails\n", escape.Markdown(c.name))
	last := ""
	for _, f := range failures {
		if f.clause.ID != last {
			fmt.Fprintf(b, "\n### %s %s\n", escape.Markdown(c.name), f.clause.ID)
			last = f.clause.ID
		}
		fmt.Fprintf(b, "\n%s\n\n", escape.Markdown(f.Failure.Because))
		fmt.Fprintf(b, "`%s` failed: %s.\n", f.Name, escape.Markdown(finding(f)))
		if f.Known != nil {
			fmt.Fprintf(b, "It is known: %s\n", report.KnownMarkdown(*f.Known))
		}
		if f.Reproduction != nil {
			file := path.Base(f.Reproduction.File)
			fmt.Fprintf(b, "%s:\n\n", f.Reproduction.Shows(fmt.Sprintf("[%s](scoreboard/%s/%s)", escape.Markdown(file), c.name, file)))
			b.WriteString(escape.Fence("sh", c.command(f)))
			continue
		}
		b.WriteString("\n" + escape.Fence("sh", fmt.Sprintf("simcloud test --profile %s -l name=%s", c.name, strings.SplitN(f.Name, "[", 2)[0])))
	}
}

// finding is the failure in one line.
func finding(f failure) string {
	text, _, _ := strings.Cut(withoutPaths(f.Failure.Headline), "\n")
	text = strings.TrimRight(text, ":.")
	if f.Failure.Oracle != "" {
		return "the oracle " + f.Failure.Oracle + " found that " + text
	}
	return text
}
