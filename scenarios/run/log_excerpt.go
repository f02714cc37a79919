package run

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// logSearched is how many lines of the CCM's log are searched for those that say something about a failure.
const logSearched = 1000

// failureLog is what the CCM's log says about a failure.
func failureLog(st *step.Stage, f scenarios.Failure) []string {
	return logExcerpt(st.CCM.LogTail(logSearched), namesOf(f), observe.MostLogLines)
}

// verdictLog is what the log of the CCM, and of its standby, says about the things that an oracle names. An oracle that has
// lines of the log itself knows better which ones; no-secrets has what they say without the secret.
func (x *execution) verdictLog(st *step.Stage, f scenarios.Failure) []string {
	if f.Invalid || len(f.CCMLog) > 0 || f.Oracle == "no-secrets" {
		return f.CCMLog
	}
	var names []string
	st.Store.View(func(*observe.Snapshot) {
		names = x.names.In(strings.Join(append([]string{f.Headline}, f.Values...), "\n"))
	})
	if len(names) == 0 {
		return nil
	}
	isAbout := mentions(names)
	lines := slices.DeleteFunc(x.logged(st), func(line string) bool { return !isAbout(line) })
	return words.LastOf(collapsed(lines), observe.MostLogLines)
}

// logged is what the CCM and its standby have logged since the scenario began.
func (x *execution) logged(st *step.Stage) []string {
	if len(x.logs) == 0 {
		return st.CCM.LogTail(logSearched)
	}
	var lines []string
	for _, log := range x.logs {
		if content, err := observe.ReadFrom(log.path, log.offset); err == nil { // there may have been no standby
			lines = append(lines, strings.Split(strings.TrimRight(string(content), "\n"), "\n")...)
		}
	}
	return lines
}

var (
	// logHeader is the time with which a line begins, and the process: as klog, logr's zap, slog and logrus write it.
	logHeader = regexp.MustCompile(`^(?:[IWEF]\d{4} [\d:.]+ +\d+ |(?:time=|ts=)?"?\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?"? *)`)
	// targetName is the name in "service/web", quotedName that in services["web"].
	targetName = regexp.MustCompile(`\b[a-z]+/([\w.-]+)`)
	quotedName = regexp.MustCompile(`["']([\w.-]+)["']`)
)

// namesOf are the names of the objects that a failure is about.
func namesOf(f scenarios.Failure) []string {
	var names []string
	for _, found := range slices.Concat(targetName.FindAllStringSubmatch(f.Step, -1), quotedName.FindAllStringSubmatch(f.Step+" "+f.Expression, -1)) {
		if name := strings.Trim(found[1], ".-"); len(name) > 1 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// logExcerpt is at most this many lines of a log in their order: those that have one of the names, the latest first, and if
// there is room the last ones. Of lines that differ in their time alone it has the last, with their number.
func logExcerpt(lines, names []string, most int) []string {
	lines = collapsed(lines)
	if len(lines) <= most {
		return lines
	}
	chosen := map[int]bool{}
	choose := func(wanted func(string) bool) {
		for i := len(lines) - 1; i >= 0 && len(chosen) < most; i-- {
			if wanted(lines[i]) {
				chosen[i] = true
			}
		}
	}
	if len(names) > 0 {
		choose(mentions(names))
	}
	choose(func(string) bool { return true })
	excerpt := []string{fmt.Sprintf("(%d more)", len(lines)-len(chosen))}
	for i, line := range lines {
		if chosen[i] {
			excerpt = append(excerpt, line)
		}
	}
	return excerpt
}

// mentions finds the lines that have one of the names as a word: node-1 is not in node-10.
func mentions(names []string) func(string) bool {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = regexp.QuoteMeta(name)
	}
	return regexp.MustCompile(`(?:^|[^\w-])(?:` + strings.Join(quoted, "|") + `)(?:$|[^\w-])`).MatchString
}

// collapsed has, of lines that differ in their time alone, the last one, with how many there were.
func collapsed(lines []string) []string {
	times, last := map[string]int{}, map[string]int{}
	for i, line := range lines {
		text := logHeader.ReplaceAllString(line, "")
		times[text]++
		last[text] = i
	}
	var kept []string
	for i, line := range lines {
		text := logHeader.ReplaceAllString(line, "")
		switch {
		case last[text] != i:
		case times[text] > 1 && strings.TrimSpace(text) != "":
			kept = append(kept, fmt.Sprintf("%s … %d times", line, times[text]))
		default:
			kept = append(kept, line)
		}
	}
	return kept
}
