package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// Failure says what went wrong, what was wanted, and what was there instead.
type Failure struct {
	// Position and Step are the step that failed; empty with an Oracle.
	Position string `json:"position,omitempty"`
	Step     string `json:"step,omitempty"`
	// Oracle is the oracle that judged.
	Oracle string `json:"oracle,omitempty"`
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
	// CloudErrors, Calls and Events are what happened since the step began; CCMLog is the end of the log.
	CloudErrors []string `json:"cloudErrors,omitempty"`
	Calls       []string `json:"calls,omitempty"`
	Events      []string `json:"events,omitempty"`
	CCMLog      []string `json:"ccmLog,omitempty"`
	// CCM says what is wrong with the CCM itself, if anything.
	CCM string `json:"ccm,omitempty"`
}

// String writes the failure for people.
func (f Failure) String() string {
	var b strings.Builder
	if f.Oracle != "" {
		fmt.Fprintf(&b, "oracle %s: %s\n", f.Oracle, f.Headline)
	} else {
		fmt.Fprintf(&b, "%s: %s\n", f.Position, f.Headline)
	}
	if f.Because != "" {
		fmt.Fprintf(&b, "  what a CCM must do:\n%s", indented(wrapped(f.Because), "    "))
	}
	for _, s := range f.sections() {
		if len(s.lines) > 0 && (len(s.lines) > 1 || s.lines[0] != "") {
			fmt.Fprintf(&b, "  %s:\n%s", s.title, indented(s.lines, "    "))
		}
	}
	return b.String()
}

// section is a part of a failure, with a title; what has no lines is not shown.
type section struct {
	title string
	lines []string
}

// logTitle is that of the section with the log.
const logTitle = "the end of the CCM's log"

// sections are what a failure shows below its headline, in this order.
func (f Failure) sections() []section {
	expected, events := section{"expected", strings.Split(f.Expression, "\n")}, "Kubernetes events since the step began"
	if f.Expression == "" {
		expected = section{"step", []string{f.Step}}
	}
	if f.Oracle != "" {
		events = "Kubernetes events about it"
	}
	return []section{
		expected,
		{"what there was", f.Values},
		{"the CCM", []string{f.CCM}},
		{"errors that the cloud answered to the CCM since the step began", f.CloudErrors},
		{"calls of the CCM since the step began", f.Calls},
		{events, f.Events},
		{logTitle, f.CCMLog},
	}
}

func indented(lines []string, by string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(by + strings.ReplaceAll(line, "\n", "\n"+by) + "\n")
	}
	return b.String()
}

// wrapped breaks a text into lines that a terminal holds.
func wrapped(text string) []string {
	const width = 96
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

// Limits of what a failure shows.
const (
	mostErrors   = 10
	mostCalls    = 25
	mostEvents   = 25
	mostLogLines = 20
)

// mark is a moment of a scenario, to tell what came after it.
type mark struct {
	calls  int
	events map[string]string // version by UID
}

func (st *stage) mark() mark {
	s := st.store.snapshot()
	m := mark{calls: len(s.calls), events: map[string]string{}}
	for _, e := range s.events {
		m.events[eventKey(e)] = eventVersion(e)
	}
	return m
}

func eventVersion(e any) string {
	version, _ := dig(e, "metadata", "resourceVersion").(string)
	return version
}

// stepFailure describes how a step failed.
func (st *stage) stepFailure(step Step, since mark, err error) Failure {
	f := Failure{Position: step.Place(), Step: step.Text, Headline: err.Error(), Because: step.Because}
	if f.Because == "" {
		f.Because = st.scenario.Description
	}
	s := st.store.snapshot()
	var unmet *expectationError
	if errors.As(err, &unmet) {
		f.Expression, f.Values = unmet.source, unmet.parts
		f.Headline = fmt.Sprintf("%s (%s)", unmet.headline, plural(unmet.looked, cmp.Or(unmet.what, "snapshot")))
	}
	f.Calls, f.CloudErrors = callLines(s.calls[min(since.calls, len(s.calls)):])
	var events []any
	for _, e := range s.events {
		if since.events[eventKey(e)] != eventVersion(e) {
			events = append(events, e)
		}
	}
	f.Events = lastOf(eventLines(events), mostEvents)
	f.CCMLog = st.CCM.LogTail(mostLogLines)
	f.CCM = st.ccmTrouble()
	return f
}

// ccmTrouble says what is wrong with the CCM itself.
func (st *stage) ccmTrouble() string {
	switch exits := len(st.CCM.Exits()); {
	case !st.CCM.Running() && exits > 0:
		return "it does not run: it has ended by itself"
	case !st.CCM.Running():
		return "none is running"
	case exits > 0:
		return fmt.Sprintf("it has ended by itself, or panicked, %s", times(exits))
	}
	return ""
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func lastOf(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	left := len(lines) - most
	return append([]string{fmt.Sprintf("(%d more before)", left)}, lines[left:]...)
}

// callLines lists calls: those that changed something, how often it was read,
// and apart from these the errors with what the cloud said.
func callLines(calls []any) (lines, failed []string) {
	reads := map[string]int{}
	var order []string
	for _, c := range calls {
		switch {
		case dig(c, "code") != "":
			failed = append(failed, callLine(c)+" "+escape.Line(fmt.Sprint(dig(c, "message"))))
		case dig(c, "write") == true:
			lines = append(lines, callLine(c))
		default:
			read := escape.Line(fmt.Sprintf("%v %v", dig(c, "operation"), dig(c, "resource")))
			if reads[read]++; reads[read] == 1 {
				order = append(order, read)
			}
		}
	}
	lines, failed = lastOf(lines, mostCalls), lastOf(failed, mostErrors)
	for _, read := range order {
		lines = append(lines, fmt.Sprintf("%s, %s", read, times(reads[read])))
	}
	return lines, failed
}

func callLine(c any) string {
	code := dig(c, "code")
	if code == "" {
		code = "ok"
	}
	at, _ := dig(c, "time").(string)
	if t, err := time.Parse(time.RFC3339Nano, at); err == nil {
		at = t.Format("15:04:05.000")
	}
	line := fmt.Sprintf("%s %v %v → %v %v", at, dig(c, "operation"), dig(c, "resource"), dig(c, "status"), code)
	if rule := dig(c, "fault"); rule != "" {
		line += fmt.Sprintf(" (%v of %v)", dig(c, "effect"), rule)
	}
	return escape.Line(line)
}

func eventLines(events []any) []string {
	var lines []string
	for _, e := range events {
		line := fmt.Sprintf("%v %v %v/%v: %v", dig(e, "type"), dig(e, "reason"),
			strings.ToLower(fmt.Sprint(dig(e, "involvedObject", "kind"))), dig(e, "involvedObject", "name"), dig(e, "message"))
		lines = append(lines, escape.Line(strings.Join(strings.Fields(line), " ")))
	}
	return lines
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(10 * time.Millisecond)
}
