package observe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// Limits of what a failure shows.
const (
	MostErrors   = 10
	MostCalls    = 25
	MostEvents   = 25
	MostLogLines = 20
)

// EventVersion is the version of an Event of the cluster, which rises with each repetition.
func EventVersion(e any) string {
	version, _ := Dig(e, "metadata", "resourceVersion").(string)
	return version
}

// CallLines lists calls: those that changed something, how often it was read,
// and apart from these the errors with what the cloud said, equal ones once.
func CallLines(calls []any) (lines, failed []string) {
	reads := map[string]int{}
	var order []string
	var refusals refusals
	for _, c := range calls {
		switch {
		case Dig(c, "code") != "":
			refusals.add(c)
		case Dig(c, "write") == true:
			lines = append(lines, callLine(c))
		default:
			read := escape.Line(callName(c))
			if reads[read]++; reads[read] == 1 {
				order = append(order, read)
			}
		}
	}
	lines, failed = words.LastOf(lines, MostCalls), words.LastOf(refusals.lines(), MostErrors)
	for _, read := range order {
		lines = append(lines, fmt.Sprintf("%s, %s", read, words.Times(reads[read])))
	}
	return lines, failed
}

// refusals are the errors of the cloud, equal ones together, in the order of the first of each.
type refusals []*refusal

type refusal struct {
	text        string // without the time
	first, last string
	times       int
}

func (all *refusals) add(c any) {
	text, at := callText(c)+" "+escape.Line(fmt.Sprint(Dig(c, "message"))), timeOf(c)
	i := slices.IndexFunc(*all, func(r *refusal) bool { return r.text == text })
	if i < 0 {
		*all = append(*all, &refusal{text: text, first: at})
		i = len(*all) - 1
	}
	(*all)[i].last = at
	(*all)[i].times++
}

func (all *refusals) lines() (lines []string) {
	for _, r := range *all {
		line := r.first + " " + r.text
		if r.times > 1 {
			line += fmt.Sprintf(" (%s, the last at %s)", words.Times(r.times), r.last)
		}
		lines = append(lines, line)
	}
	return lines
}

func callLine(c any) string { return timeOf(c) + " " + callText(c) }

// timeOf is when a call came: the cloud's time, without the day, and the seconds since the scenario began, which the cloud's clock
// does not change.
func timeOf(c any) string {
	at, _ := Dig(c, "time").(string)
	if t, err := time.Parse(time.RFC3339Nano, at); err == nil {
		at = t.Format("15:04:05.000")
	}
	if since, ok := Dig(c, "at").(float64); ok {
		at += words.Since(since)
	}
	return escape.Line(at)
}

// callName is a call and what it is about, as its client knows both.
func callName(c any) string {
	text := func(key string) string { value, _ := Dig(c, key).(string); return value }
	return strings.TrimSpace(words.Call(text("name"), text("operation")) + " " + words.Shown(text("resource"), text("shownID")))
}

// callText is a call and its answer.
func callText(c any) string {
	code := Dig(c, "code")
	if code == "" {
		code = "ok"
	}
	line := fmt.Sprintf("%s → %v %v", callName(c), Dig(c, "status"), code)
	if rule := Dig(c, "fault"); rule != "" {
		line += fmt.Sprintf(" (%v of %v)", Dig(c, "effect"), rule)
	}
	return escape.Line(line)
}

// EventLines lists Events of the cluster, one a line.
func EventLines(events []any) []string {
	var lines []string
	for _, e := range events {
		line := fmt.Sprintf("%v %v %v/%v: %v", Dig(e, "type"), Dig(e, "reason"),
			strings.ToLower(fmt.Sprint(Dig(e, "involvedObject", "kind"))), Dig(e, "involvedObject", "name"), Dig(e, "message"))
		lines = append(lines, escape.Line(strings.Join(strings.Fields(line), " ")))
	}
	return lines
}

// EventKey is the UID of an Event of the cluster.
func EventKey(e any) string {
	uid, _ := Dig(e, "metadata", "uid").(string)
	return uid
}
