package scenarios

import (
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// Failure says what went wrong, what was wanted, and what was there instead.
type Failure struct {
	// Position and Step are the step that failed; empty with an Oracle.
	Position string `json:"position,omitempty"`
	Step     string `json:"step,omitempty"`
	// Oracle is the oracle that judged.
	Oracle string `json:"oracle,omitempty"`
	// Invalid is whether the scenario file is wrong, which says nothing of the CCM.
	Invalid bool `json:"invalid,omitempty"`
	// Undecided is whether the CCM had asked before for what simcloud does not simulate: the failure may follow from that, and then
	// it is not the CCM's fault.
	Undecided bool `json:"undecided,omitempty"`
	// Finally is whether the step is one of finally.
	Finally  bool   `json:"finally,omitempty"`
	Headline string `json:"headline"`
	// At is when an oracle saw it, in seconds since the scenario began; 0 when it cannot say.
	At float64 `json:"at,omitempty"`
	// Because is what a CCM must do.
	Because    string `json:"because,omitempty"`
	Expression string `json:"expression,omitempty"`
	// Values are the parts of the expression and what they were.
	Values []string `json:"values,omitempty"`
	// CloudErrors, Calls and Events are what happened since the step began; CCMLog is the end of the log, or of an oracle's
	// verdict the lines about what it names.
	CloudErrors []string `json:"cloudErrors,omitempty"`
	Calls       []string `json:"calls,omitempty"`
	Events      []string `json:"events,omitempty"`
	CCMLog      []string `json:"ccmLog,omitempty"`
	// CCM says what is wrong with the CCM itself, if anything.
	CCM string `json:"ccm,omitempty"`
	// Cut is how many long texts of others lack their middle; failures.txt, with the logs of the scenario, has them whole.
	Cut int `json:"cut,omitempty"`
}

// String writes the failure for humans.
func (f Failure) String() string {
	var b strings.Builder
	if f.Oracle != "" {
		fmt.Fprintf(&b, "oracle %s: %s\n", f.Oracle, f.Headline)
	} else {
		fmt.Fprintf(&b, "%s: %s\n", f.Position, f.Headline)
	}
	if f.Invalid {
		fmt.Fprintf(&b, "  %s\n", InvalidWords)
	}
	if f.Undecided {
		fmt.Fprintf(&b, "  %s\n", UndecidedWords)
	}
	if f.Because != "" {
		fmt.Fprintf(&b, "  what a CCM must do:\n%s", words.Indented(words.Wrapped(f.Because), "    "))
	}
	for _, s := range f.Blocks() {
		if len(s.Lines) > 0 && (len(s.Lines) > 1 || s.Lines[0] != "") {
			fmt.Fprintf(&b, "  %s:\n%s", s.Title, words.Indented(s.Lines, "    "))
		}
	}
	return b.String()
}

// InvalidWords say whose fault a failure is that comes from the scenario file.
const InvalidWords = "the scenario file is wrong, which says nothing about the CCM"

// UndecidedWords say why a failure is not held against the CCM.
const UndecidedWords = "undecided: the CCM had asked for what simcloud does not simulate, so that this may not be its fault"

// Section is a part of a failure, with a title; what has no lines is not shown.
type Section struct {
	Title string
	Lines []string
	// Long is whether a page folds it away.
	Long bool
}

// Blocks are what a failure shows below its headline, in this order.
func (f Failure) Blocks() []Section {
	expected := Section{Title: "expected", Lines: strings.Split(f.Expression, "\n")}
	events, log := "Kubernetes events since the step began", "last lines of the CCM log"
	if f.Expression == "" {
		expected = Section{Title: "step", Lines: []string{f.Step}}
	}
	if f.Oracle != "" {
		events, log = "Kubernetes events about it", "lines of the CCM log about it"
	}
	return []Section{
		expected,
		{Title: "observed", Lines: f.Values},
		{Title: "the CCM", Lines: []string{f.CCM}},
		{Title: "errors that the cloud answered to the CCM since the step began", Lines: f.CloudErrors},
		{Title: "calls of the CCM since the step began", Lines: f.Calls},
		{Title: events, Lines: f.Events},
		{Title: log, Lines: f.CCMLog, Long: true},
		{Title: "left out", Lines: []string{f.leftOut()}},
	}
}

// leftOut says where the long texts are whole; empty when none was cut.
func (f Failure) leftOut() string {
	if f.Cut == 0 {
		return ""
	}
	return "the middle of " + words.Plural(f.Cut, "long text") + ": with --report, the whole failure is in failures.txt, with the logs of the scenario"
}

// OracleTitle is a failure that an oracle has found, in one line.
func OracleTitle(f Failure) string { return f.Oracle + ": " + f.Headline }
