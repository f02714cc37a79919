package syntax_test

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
)

// tierDialect is the label of scenarios that assert known issues or guard against fixed ones, dialectFolder is where they are.
const (
	tierDialect   = "dialect"
	dialectFolder = scenarios.LibraryFolder + "/dialect"
)

// trackers are where the issues of the CCM of a profile are.
var trackers = map[string]string{
	"aws":       "https://github.com/kubernetes/cloud-provider-aws/issues/",
	"hcloud":    "https://github.com/hetznercloud/hcloud-cloud-controller-manager/issues/",
	"openstack": "https://github.com/kubernetes/cloud-provider-openstack/issues/",
}

// TestKnownIssuesDoc holds docs/known-issues.md against the scenarios that assert known issues.
func TestKnownIssuesDoc(t *testing.T) {
	all, err := library()
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("..", "..", "docs", "known-issues.md"), []byte(knownIssuesDoc(t, all)))
}

// TestKnownIssues: a scenario that asserts a known issue is for the profile of its folder, and has the label that
// keeps it out of the runs of other CCMs; no other scenario has that label or is in that folder. That holds for fixed
// issues too.
func TestKnownIssues(t *testing.T) {
	all, err := library()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		folder := path.Dir(filepath.ToSlash(s.Position.File))
		if s.KnownIssue == nil {
			if s.Labels["tier"] == tierDialect || strings.HasPrefix(folder, dialectFolder) {
				t.Errorf("%s: the scenario lacks spec.knownIssue", s.Position)
			}
			continue
		}
		name := familyOf(t, s.KnownIssue.Profile)
		if want := path.Join(dialectFolder, name); folder != want || s.Labels["tier"] != tierDialect || s.Labels["clause"] != "" {
			t.Errorf("%s: want it in %s, with the label tier=%s and without a clause: %v", s.Position, want, tierDialect, s.Labels)
		}
		if trackers[name] == "" {
			t.Errorf("%s: spec.knownIssue.profile is %q: want a profile of simcloud whose tracker is known", s.Position, s.KnownIssue.Profile)
		}
		if !strings.HasPrefix(s.Name, name+"-") {
			t.Errorf("%s: the name is %q: want it to begin with %s-", s.Position, s.Name, name)
		}
	}
}

// familyOf is the profile that a profile is like, or the profile itself.
func familyOf(t *testing.T, name string) string {
	t.Helper()
	p, err := profile.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return cmp.Or(p.Like, name)
}

// TestFixedIssues: all oracles judge a scenario whose issue is fixed, since its CCM does nothing to skip one for. Such a
// scenario does not hide that the CCM has no defect there.
func TestFixedIssues(t *testing.T) {
	all, err := library()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, s := range all {
		if s.KnownIssue == nil || !s.KnownIssue.Fixed {
			continue
		}
		found = true
		if len(s.SkipOracles) > 0 {
			t.Errorf("%s: the issue is fixed, but skipOracles names %s", s.Position, strings.Join(s.SkipOracles, ", "))
		}
	}
	if !found {
		t.Error("the library has no scenario whose issue is fixed: spec.knownIssue.state may not be read")
	}
}

// knownIssuesDoc writes docs/known-issues.md.
func knownIssuesDoc(t *testing.T, all []*scenarios.Scenario) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(knownIssuesHead)
	for _, name := range profile.Names() {
		open, fixed := issuesOf(name, all)
		if len(open) == 0 {
			continue
		}
		p, err := profile.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		family := familyOf(t, name)
		binary, given := "", "" // one that simcloud builds need not be given
		if p.Subject == "" {
			binary, given = "=BINARY", " "+strings.ToUpper(family)+"=BINARY"
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s. Run all with `make %s%s`.\n\n", name, p.Description, family, given)
		issueTable(t, &b, open, name+binary)
		if len(fixed) > 0 {
			fmt.Fprintf(&b, "\n### Fixed in %s\n\n", name)
			issueTable(t, &b, fixed, name+binary)
		}
	}
	return b.String()
}

func issueTable(t *testing.T, b *strings.Builder, rows []*scenarios.Scenario, given string) {
	t.Helper()
	b.WriteString("| issue | what the cloud does | what the CCM does today | scenario | command |\n|---|---|---|---|---|\n")
	for _, s := range rows {
		fmt.Fprintf(b, "| %s | %s | %s | [`%s`](../scenarios/%s) | `simcloud test --profile %s -l name=%s` |\n",
			issueLinks(t, *s.KnownIssue), cell(s.KnownIssue.Cloud), cell(s.KnownIssue.CCM), s.Base, filepath.ToSlash(s.Position.File), given, s.Base)
	}
}

// issuesOf are the scenarios of a profile, each file once: those whose issue is open, and those whose issue is fixed. First
// comes what is reported, by the first number, then the rest.
func issuesOf(name string, all []*scenarios.Scenario) (open, fixed []*scenarios.Scenario) {
	seen := map[string]bool{}
	for _, s := range all {
		switch {
		case s.KnownIssue == nil || s.KnownIssue.Profile != name || seen[s.Base]:
			continue
		case s.KnownIssue.Fixed:
			fixed = append(fixed, s)
		default:
			open = append(open, s)
		}
		seen[s.Base] = true
	}
	for _, found := range [][]*scenarios.Scenario{open, fixed} {
		slices.SortStableFunc(found, func(a, b *scenarios.Scenario) int { return firstIssue(a) - firstIssue(b) })
	}
	return open, fixed
}

// firstIssue is the number that a scenario is sorted by.
func firstIssue(s *scenarios.Scenario) int {
	if len(s.KnownIssue.Issues) == 0 {
		return 1 << 30
	}
	return slices.Min(s.KnownIssue.Issues)
}

func issueLinks(t *testing.T, k scenarios.KnownIssue) string {
	t.Helper()
	if len(k.Issues) == 0 {
		return "no report known"
	}
	var links []string
	for _, n := range k.Issues {
		links = append(links, fmt.Sprintf("[#%d](%s%d)", n, trackers[familyOf(t, k.Profile)], n))
	}
	return strings.Join(links, ", ")
}

func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

const knownIssuesHead = `<!-- Written by "go generate ./scenarios" from scenarios/library/dialect: do not edit. -->

# Known issues

What cloud controller managers (CCMs) of real clouds do today although they should not, each shown by a scenario with the
unmodified binary, which is never part of this repository. Such a scenario asserts today's behaviour: it passes as long as the
CCM does that. When it fails, it reports that today's behaviour has changed, and perhaps the CCM has been repaired. Issues that
are fixed have a table of their own: there the CCM does today what it should, and the scenario fails when the defect comes back.

The scenarios have the label ` + "`tier=dialect`" + ` and name the profile of their CCM. For every other CCM they are skipped, with
the reason, since they would blame it for being right. They are no clauses: [scoreboard.md](scoreboard.md) has those that a CCM fails.
*No report known* is what was found by reading its source code and by running it here.
`
