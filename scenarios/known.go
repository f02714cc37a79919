package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// KnownFailure says that a CCM is known to fail a scenario.
type KnownFailure struct {
	// Scenario is the name of the scenario; the name that a file has stands for all that its matrix makes of it.
	Scenario string `json:"scenario"`
	// Issue is where the failure is reported: a URL, or owner/repository#number for an issue of GitHub.
	Issue string `json:"issue"`
	// Why says in a sentence why the CCM fails.
	Why string `json:"why"`
	// Says is a text that each failure of the scenario must have; one without it is not the known one. Empty
	// stands for whatever fails.
	Says string `json:"says,omitempty"`

	// Place is where the list has the entry, for errors.
	Place string `json:"-"`
}

var (
	issueURL    = regexp.MustCompile(`^https?://[\w.:-]+(/[\w./?#&=%~+@:,-]*)?$`)
	issueNumber = regexp.MustCompile(`^([\w.-]+/[\w.-]+)#([1-9][0-9]*)$`)
)

// Mistakes are what is wrong with the entry, each beginning with its field.
func (k KnownFailure) Mistakes() []string {
	var all []string
	if k.Scenario == "" {
		all = append(all, "scenario is empty: want the name of a scenario")
	}
	if !issueURL.MatchString(k.Issue) && !issueNumber.MatchString(k.Issue) {
		all = append(all, "issue is \""+k.Issue+"\": want the URL of an issue, or owner/repository#number")
	}
	if strings.TrimSpace(k.Why) == "" {
		all = append(all, "why is empty: want a sentence that says why the scenario fails")
	}
	return all
}

// Link is the URL of the issue.
func (k KnownFailure) Link() string {
	if part := issueNumber.FindStringSubmatch(k.Issue); part != nil {
		return "https://github.com/" + part[1] + "/issues/" + part[2]
	}
	return k.Issue
}

// String says the issue, and why.
func (k KnownFailure) String() string {
	return k.Issue + ": " + oneLine(k.Why)
}

// Covers reports whether all that went wrong is what is known: each failure has the text of the
// entry in what it says, by which line breaks are spaces.
func (k KnownFailure) Covers(failures []Failure) bool {
	return !slices.ContainsFunc(failures, func(f Failure) bool { return !k.says(f) })
}

func (k KnownFailure) says(f Failure) bool {
	text := strings.Join([]string{f.Oracle, f.Headline, f.Because, f.Expression}, "\n")
	return strings.Contains(oneLine(text), oneLine(k.Says))
}

// Otherwise is the failures of a scenario that are not all known: the headline of each that is not tells that.
func (k KnownFailure) Otherwise(failures []Failure) []Failure {
	all := slices.Clone(failures)
	for i, f := range all {
		if !k.says(f) {
			all[i].Headline = fmt.Sprintf("not the known failure %s, which says %q: %s", k.Issue, oneLine(k.Says), f.Headline)
		}
	}
	return all
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Names reports whether the entry is about a scenario, or a repetition of it.
func (k KnownFailure) Names(s *Scenario) bool {
	return k.Scenario == s.Base || k.Scenario == s.Name || strings.HasPrefix(s.Name, k.Scenario+RepetitionMark)
}

// KnownFailures are the failures that are known of a CCM.
type KnownFailures []KnownFailure

// Of returns the first entry about a scenario; nil when its failure is not known.
func (k KnownFailures) Of(s *Scenario) *KnownFailure {
	i := slices.IndexFunc(k, func(k KnownFailure) bool { return k.Names(s) })
	if i < 0 {
		return nil
	}
	return &k[i]
}

// PassedThoughKnown are the words for a scenario that passed, of which it is known that it fails.
const PassedThoughKnown = "passed, though known as failing"

// KnownWords says how a scenario that is known to fail ended; empty for any other.
func (r Result) KnownWords() string {
	switch {
	case r.Known == nil:
		return ""
	case r.Status == Passed:
		return PassedThoughKnown
	default:
		return r.Status.Words()
	}
}

// PassedThoughKnown names the scenarios that passed, though they are known to fail.
func (r Report) PassedThoughKnown() []string {
	var names []string
	for _, s := range r.Scenarios {
		if s.Known != nil && s.Status == Passed {
			names = append(names, s.Name)
		}
	}
	return names
}
