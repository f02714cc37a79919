package timeline

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// mostLogLines is how many lines of a log a timeline shows: of a scenario that passed there is less to find out.
const (
	mostLogLines       = 400
	mostLogLinesPassed = 40
	mostLogTitle       = 200     // characters of a line that stand in the chart
	mostLogLine        = 4 << 10 // bytes of a line that are kept
)

// logLine is a line of a log, with those after it that have no time of their own.
type logLine struct {
	at     float64
	until  float64 // of the last one that says the same
	level  string
	text   string
	times  int
	failed bool
}

var (
	// klogHeader is how klog begins a line: level, month and day, time, process.
	klogHeader = regexp.MustCompile(`^([IWEF])(\d{4} \d\d:\d\d:\d\d(?:\.\d+)?) +\d+ `)
	// timeHeader is how slog, logrus and zap begin a line.
	timeHeader = regexp.MustCompile(`^(?:time=|ts=)?"?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d))"?\s+`)
	levelWord  = regexp.MustCompile(`(?i)^(?:level=)?"?(debug|info|warn|warning|error|fatal|panic)\b"?`)
)

// klogLevels are the words for klog's letters.
var klogLevels = map[string]string{"I": "info", "W": "warning", "E": "error", "F": "fatal"}

// Log takes in what a replica has logged since the scenario began. Lines in a row that say the same are one. Of more
// than a timeline shows, it has warnings and errors first, and of their like the latest.
func (r *Recorder) Log(replica string, content []byte, passed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	most := mostLogLines
	if passed {
		most = mostLogLinesPassed
	}
	lines := r.logLines(string(content))
	chosen := chosenLines(lines, most)
	for _, line := range chosen {
		r.addLocked(line.moment(replica))
	}
	if left := len(lines) - len(chosen); left > 0 {
		end := r.now()
		m := leftOut(end, end, left)
		m.Lane, m.Title = scenarios.LaneLog, words.Plural(left, "more line")+" left out: logs/ has all"
		r.addLocked(m)
	}
}

// logLines are the lines of a log that have a time.
func (r *Recorder) logLines(content string) (lines []logLine) {
	for text := range strings.Lines(content) {
		text = strings.TrimRight(text, "\r\n")
		line, ok := r.parseLine(text)
		last := len(lines) - 1
		switch {
		case !ok && last >= 0 && len(lines[last].text) < mostLogLine:
			lines[last].text += "\n" + text
		case !ok:
		case last >= 0 && lines[last].text == line.text && lines[last].level == line.level:
			lines[last].times++
			lines[last].until = line.at
		default:
			lines = append(lines, line)
		}
	}
	return lines
}

// parseLine finds the time and the level with which a line begins.
func (r *Recorder) parseLine(text string) (logLine, bool) {
	var at time.Time
	var err error
	line := logLine{times: 1}
	if part := klogHeader.FindStringSubmatch(text); part != nil {
		line.level, line.text = klogLevels[part[1]], text[len(part[0]):]
		at, err = r.thisYear(part[2])
	} else if part := timeHeader.FindStringSubmatch(text); part != nil {
		line.text = text[len(part[0]):]
		line.level = levelOf(line.text)
		at, err = time.Parse(time.RFC3339Nano, strings.Replace(part[1], ",", ".", 1))
	} else {
		return line, false
	}
	line.at, line.failed = r.At(at), line.level == "error" || line.level == "fatal" || line.level == "panic"
	return line, err == nil
}

// thisYear is a time that klog writes: in the zone of the process and without a year. It is the one next to the scenario.
func (r *Recorder) thisYear(text string) (time.Time, error) {
	at, err := time.ParseInLocation("0102 15:04:05.999999999", text, time.Local)
	if err != nil {
		return at, err
	}
	year := r.start.In(time.Local).Year()
	nearest := at.AddDate(year, 0, 0)
	for _, other := range []time.Time{at.AddDate(year-1, 0, 0), at.AddDate(year+1, 0, 0)} {
		if other.Sub(r.start).Abs() < nearest.Sub(r.start).Abs() {
			nearest = other
		}
	}
	return nearest, nil
}

func levelOf(text string) string {
	part := levelWord.FindStringSubmatch(text)
	if part == nil {
		return ""
	}
	level := strings.ToLower(part[1])
	if level == "warn" {
		return "warning"
	}
	return level
}

// chosenLines are at most so many lines in their order: failures, then warnings, then others, the latest of each.
func chosenLines(lines []logLine, most int) []logLine {
	if len(lines) <= most {
		return lines
	}
	chosen := map[int]bool{}
	for _, wanted := range []func(logLine) bool{
		func(l logLine) bool { return l.failed }, func(l logLine) bool { return l.level == "warning" }, func(logLine) bool { return true },
	} {
		for i := len(lines) - 1; i >= 0 && len(chosen) < most; i-- {
			if wanted(lines[i]) {
				chosen[i] = true
			}
		}
	}
	var kept []logLine
	for i, line := range lines {
		if chosen[i] {
			kept = append(kept, line)
		}
	}
	return kept
}

// moment is the line as the timeline has it.
func (l logLine) moment(replica string) scenarios.TimelineEntry {
	title, rest, several := strings.Cut(l.text, "\n")
	m := scenarios.TimelineEntry{At: l.at, Until: l.until, Lane: scenarios.LaneLog, Failed: l.failed, Detail: map[string]string{"log": replica, "level": l.level}}
	if runes := []rune(title); len(runes) > mostLogTitle {
		title, several = string(runes[:mostLogTitle])+"…", true
	}
	if several || rest != "" {
		m.Detail["line"] = clippedLine(l.text)
	}
	if l.times > 1 {
		title += fmt.Sprintf(" ×%d", l.times)
	}
	m.Title = title
	return m
}

// clippedLine is as much of a line as is kept.
func clippedLine(text string) string {
	if len(text) <= mostLogLine {
		return text
	}
	return strings.ToValidUTF8(text[:mostLogLine], "") + "…"
}
