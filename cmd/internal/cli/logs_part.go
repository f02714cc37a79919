package cli

import (
	"bytes"
	"os"
	"regexp"
	"time"
)

// logPart is the part of a log that is asked for.
type logPart struct {
	tail  int           // last lines; below 0: all
	since time.Duration // age of the first line; 0: any
}

// start returns the offset at which the part of a log begins.
func (p logPart) start(path string, now time.Time) (int64, error) {
	if p.tail < 0 && p.since == 0 {
		return 0, nil
	}
	log, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	from := 0
	if p.since > 0 {
		from = newerThan(log, now.Add(-p.since))
	}
	if p.tail >= 0 {
		from = max(from, lastLines(log, p.tail))
	}
	return int64(from), nil
}

// lastLines returns where the last n lines begin.
func lastLines(log []byte, n int) int {
	at := len(bytes.TrimSuffix(log, []byte("\n")))
	if n == 0 {
		return len(log)
	}
	for ; n > 0; n-- {
		if at = bytes.LastIndexByte(log[:at], '\n'); at < 0 {
			return 0
		}
	}
	return at + 1
}

// newerThan returns where the first line is that was written at a time or later. A line
// without a time of its own belongs to the one before.
func newerThan(log []byte, moment time.Time) int {
	at := 0
	for line := range bytes.Lines(log) {
		if written, ok := lineTime(line, moment); ok && !written.Before(moment) {
			return at
		}
		at += len(line)
	}
	return at
}

// The times that lines have: as Go's log/slog and etcd write them, and as klog does, local and without a year.
var (
	fullTimeRE = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)`)
	klogTimeRE = regexp.MustCompile(`^[IWEF](\d{4} \d\d:\d\d:\d\d(\.\d+)?) `)
)

// lineTime is the time of a line, which is a year's at most from a moment when the line does not name one.
func lineTime(line []byte, near time.Time) (time.Time, bool) {
	if found := klogTimeRE.FindSubmatch(line); found != nil {
		t, err := time.ParseInLocation("0102 15:04:05", string(found[1]), time.Local)
		if err != nil {
			return time.Time{}, false
		}
		near = near.Local()
		t = t.AddDate(near.Year()-t.Year(), 0, 0)
		switch { // about the turn of a year
		case t.Sub(near) > 180*24*time.Hour:
			t = t.AddDate(-1, 0, 0)
		case near.Sub(t) > 180*24*time.Hour:
			t = t.AddDate(1, 0, 0)
		}
		return t, true
	}
	found := fullTimeRE.Find(line[:min(len(line), 200)])
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700"} { // etcd has no colon in the zone
		if t, err := time.Parse(layout, string(found)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
