package scenarios

import (
	"fmt"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// Limits of what a failure shows.
const (
	mostErrors   = 10
	mostCalls    = 25
	mostEvents   = 25
	mostLogLines = 20
)

func eventVersion(e any) string {
	version, _ := dig(e, "metadata", "resourceVersion").(string)
	return version
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

func eventKey(e any) string {
	uid, _ := dig(e, "metadata", "uid").(string)
	return uid
}
