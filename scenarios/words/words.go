// Package words puts numbers, times, callers and lists of lines into the words that
// failures and reports share.
package words

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Indented writes lines with something in front of each, also of each line within a line.
func Indented(lines []string, by string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(by + strings.ReplaceAll(line, "\n", "\n"+by) + "\n")
	}
	return b.String()
}

// Wrapped breaks a text into lines that a terminal holds.
func Wrapped(text string) []string {
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

// Times says how often: "once", "3 times".
func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// LastOf keeps the last lines, and says how many came before.
func LastOf(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	left := len(lines) - most
	return append([]string{fmt.Sprintf("(%d more before)", left)}, lines[left:]...)
}

// Plural counts: "1 step", "2 steps".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Rounded leaves out of a duration what no reader needs.
func Rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(10 * time.Millisecond)
}

// TenthMilli rounds seconds to a tenth of a millisecond.
func TenthMilli(seconds float64) float64 { return math.Round(seconds*1e4) / 1e4 }

// ClockTime is the time of the day, with milliseconds.
func ClockTime(t time.Time) string { return t.Format("15:04:05.000") }

// Since says after a time how many seconds after the scenario's begin it was: " (+12.3s)".
func Since(seconds float64) string { return fmt.Sprintf(" (+%.1fs)", seconds) }

// Who names a caller by what it calls itself.
func Who(c simcloud.Caller) string {
	if c.UserAgent == "" {
		return "an unnamed client"
	}
	return c.UserAgent
}

// LastLines shortens a log to its last n lines.
func LastLines(log string, n int) string {
	lines := strings.Split(strings.TrimRight(log, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
