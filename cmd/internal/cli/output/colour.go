package output

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Colours reports whether a text may be coloured: on a terminal, unless NO_COLOR is set; anywhere when CLICOLOR_FORCE
// is. See no-color.org and bixense.com/clicolors.
func Colours(w io.Writer) bool {
	switch force := os.Getenv("CLICOLOR_FORCE"); {
	case os.Getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return os.Getenv("TERM") != "dumb" && IsTerminal(w)
}

// Mood is what a colour tells.
type Mood string

// The moods, as codes of terminals.
const (
	Good    Mood = "32" // green
	Bad     Mood = "31" // red
	Pending Mood = "33" // yellow
)

// Paint colours a text.
func (m Mood) Paint(text string) string { return "\x1b[" + string(m) + "m" + text + "\x1b[0m" }

// moods are the words of states that have a colour.
var moods = map[Mood][]string{
	Good: {"active", "associated", "attached", "available", "done", "healthy", "ready", "Ready", "running"},
	Bad:  {"blackhole", "crashed", "down", "error", "failed", "NotReady", "unhealthy", "unreachable"},
	Pending: {
		"attaching", "creating", "degraded", "deleting", "detaching", "migrating", "pending", "provisioning", "rebooting",
		"rebuilding", "starting", "stopping", "terminating", "updating", "waiting",
	},
}

// stateColumns are the columns whose cells are states. A resource may be called "failed".
var stateColumns = []string{"HEALTH", "PHASE", "STATE", "STATUS"}

// paint colours a cell of a column by the states in it, such as "running(unreachable)", the worst of which counts.
func (s Screen) paint(column, cell string) string {
	if !s.colour || !slices.Contains(stateColumns, column) {
		return cell
	}
	words := strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune("(), ", r) })
	for _, mood := range []Mood{Bad, Pending, Good} {
		if slices.ContainsFunc(words, func(word string) bool { return slices.Contains(moods[mood], word) }) {
			return mood.Paint(cell)
		}
	}
	return cell
}

// verdict is the word with which a line about a scenario begins, after what moves the cursor there.
var verdict = regexp.MustCompile(`(?m)^((?:\x1b\[[0-9;?]*[A-Za-z]|\r)*)(PASS|FAIL|BROKEN|INVALID|KNOWN|INTERRUPTED)\b`)

// verdictMoods are the colours of verdicts.
var verdictMoods = map[string]Mood{"PASS": Good, "FAIL": Bad, "BROKEN": Bad, "INVALID": Bad, "KNOWN": Pending, "INTERRUPTED": Pending}

// Verdicts colours how scenarios ended, in a text of whole lines, where colours are wanted.
func Verdicts(w io.Writer) io.Writer {
	if !Colours(w) {
		return w
	}
	return verdicts{w}
}

type verdicts struct{ to io.Writer }

// Write writes a text with colours.
func (v verdicts) Write(p []byte) (int, error) {
	text := verdict.ReplaceAllStringFunc(string(p), func(found string) string {
		parts := verdict.FindStringSubmatch(found)
		return parts[1] + verdictMoods[parts[2]].Paint(parts[2])
	})
	if _, err := io.WriteString(v.to, text); err != nil {
		return 0, err
	}
	return len(p), nil
}
