package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// severity orders how a scenario ended: what people must look at comes first.
var severity = map[scenarios.Status]int{scenarios.Failed: 0, scenarios.Invalid: 1, scenarios.Broken: 2, scenarios.Interrupted: 3, scenarios.Undecided: 4, scenarios.KnownFailed: 5, scenarios.NotRun: 6, scenarios.Skipped: 7, scenarios.Passed: 8}

// allStatuses returns all, the worst first.
func allStatuses() []scenarios.Status {
	return slices.SortedFunc(maps.Keys(severity), func(a, b scenarios.Status) int { return cmp.Compare(severity[a], severity[b]) })
}

// IsHarmless reports whether a result needs no attention.
func IsHarmless(s scenarios.Status) bool {
	return s == scenarios.Passed || s == scenarios.Skipped || s == scenarios.NotRun || s == scenarios.KnownFailed
}

func isGood(r scenarios.Report) bool {
	return len(r.Missing) == 0 && !slices.ContainsFunc(r.Scenarios, func(s scenarios.Result) bool {
		return s.Status != scenarios.Passed && s.Status != scenarios.Skipped && s.Status != scenarios.KnownFailed && s.Status != scenarios.Undecided
	})
}

// worstFirst orders results by how they ended, and else leaves them as they are.
func worstFirst(all []scenarios.Result) []scenarios.Result {
	return slices.SortedStableFunc(slices.Values(all), func(a, b scenarios.Result) int { return cmp.Compare(severity[a.Status], severity[b.Status]) })
}

// verdictOf says in one line how a run went.
func verdictOf(r scenarios.Report) string {
	var parts []string
	for _, s := range statusCounts(r) {
		parts = append(parts, fmt.Sprintf("%d %s", s.Count, s.Words))
	}
	if len(parts) == 0 {
		return "nothing ran"
	}
	return strings.Join(parts, ", ")
}

// statusCount is how many scenarios ended so.
type statusCount struct {
	Status scenarios.Status
	Words  string
	Count  int
}

// statusCounts are those of which there are any, the worst first.
func statusCounts(r scenarios.Report) []statusCount {
	var counts []statusCount
	for _, s := range allStatuses() {
		if n := r.Count(s); n > 0 {
			counts = append(counts, statusCount{s, countedWords(s, n), n})
		}
	}
	return counts
}

// fact is something about the whole run.
type fact struct{ Name, Value string }

func factsOf(r scenarios.Report) []fact {
	facts := []fact{
		{"CCM", r.Subject}, {"started", r.Started.UTC().Format("2006-01-02 15:04:05 UTC")}, {"took", longSpan(r.Seconds)},
		{"clusters", fmt.Sprint(r.Parallel)}, {"seed", fmt.Sprint(r.Seed)}, {"machine factor", fmt.Sprintf("%.1f", max(r.Factor, 1))},
	}
	if r.Shard != "" {
		facts = append(facts, fact{"part", r.Shard})
	}
	if len(r.SkipOracles) > 0 {
		facts = append(facts, fact{"oracles that the profile leaves out", strings.Join(r.SkipOracles, ", ")})
	}
	if len(r.Missing) > 0 {
		facts = append(facts, fact{"missing parts", strings.Join(r.Missing, ", ") + ": their scenarios are not in this report"})
	}
	if names := r.FlakyNames(); len(names) > 0 {
		facts = append(facts, fact{"flaky", strings.Join(names, ", ")})
	}
	if names := r.PassedThoughKnown(); len(names) > 0 {
		facts = append(facts, fact{scenarios.PassedThoughKnown, strings.Join(names, ", ")})
	}
	if names := warnedNames(r); len(names) > 0 {
		facts = append(facts, fact{"warnings", strings.Join(names, ", ")})
	}
	if lines := Unsimulated(r); len(lines) > 0 {
		facts = append(facts, fact{"asked for and not simulated", strings.Join(lines, "; ")})
	}
	if text := phaseText(r.Phases, float64(max(1, r.Parallel))); text != "" {
		facts = append(facts, fact{"time per cluster", text})
	}
	return facts
}

// warnedNames names the scenarios that have warnings.
func warnedNames(r scenarios.Report) (names []string) {
	for _, s := range r.Scenarios {
		if len(s.Warnings) > 0 {
			names = append(names, s.Name)
		}
	}
	return names
}

// mostUnsimulated is how many calls are named that simcloud does not simulate.
const mostUnsimulated = 20

// Unsimulated are what the CCM asked for and simcloud does not simulate, with how often. Of many only some are named.
func Unsimulated(r scenarios.Report) []string {
	counts := map[string]int{}
	for _, s := range r.Scenarios {
		for call, n := range s.Unsimulated {
			counts[firstLine(call)] += n
		}
	}
	var lines []string
	for i, call := range slices.Sorted(maps.Keys(counts)) {
		if i == mostUnsimulated {
			return append(lines, fmt.Sprintf("and %d others", len(counts)-i))
		}
		lines = append(lines, fmt.Sprintf("%s (%s)", call, words.Plural(counts[call], "call")))
	}
	return lines
}

// warningLines are the warnings of a scenario, one a line.
func warningLines(s scenarios.Result) string {
	lines := make([]string, len(s.Warnings))
	for i, w := range s.Warnings {
		lines[i] = w.String()
	}
	return strings.Join(lines, "\n")
}

func longSpan(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(100 * time.Millisecond).String()
}

// headlineOf says in one line what was wrong with a scenario, and what a CCM
// must do; empty when nothing was.
func headlineOf(s scenarios.Result) string {
	switch {
	case s.Error != "":
		return firstLine(s.Error)
	case len(s.Failures) == 0:
		return ""
	}
	f := s.Failures[0]
	title := firstLine(f.Headline)
	if f.Oracle != "" {
		title = scenarios.OracleTitle(f)
	}
	if f.Because == "" {
		return title
	}
	return title + ": " + strings.Join(strings.Fields(f.Because), " ")
}

// firstLine is the first line of a text that may be long, such as an error with the end of a log.
func firstLine(text string) string {
	line, rest, _ := strings.Cut(text, "\n")
	if line = clipped(line, mostHeadline); rest != "" {
		line += " …"
	}
	return line
}

// mostHeadline is how long a line is that says what was wrong, in bytes.
const mostHeadline = 500

func labelTexts(labels map[string]string) []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, key+"="+labels[key])
	}
	return all
}

// againCommand is a command that runs a scenario again in the same way.
func againCommand(r scenarios.Report, s scenarios.Result) string {
	var words []string
	if !strings.HasPrefix(s.File, scenarios.LibraryFolder+"/") {
		words = append(words, s.File)
	}
	words = append(words, "-l", selectorOf(s.Name), "--seed", fmt.Sprint(cmp.Or(s.Seed, r.Seed)))
	return testLine(append(words, flagsFor(r.Flags, s.Parameters)...))
}

// flagsFor leaves out the values for parameters that a scenario does not have: it is refused to set those.
func flagsFor(flags []string, parameters map[string]string) []string {
	var kept []string
	for i := 0; i < len(flags); i++ {
		if flags[i] == "--set" && i+1 < len(flags) {
			name, _, _ := strings.Cut(flags[i+1], "=")
			if _, has := parameters[name]; !has {
				i++
				continue
			}
		}
		kept = append(kept, flags[i])
	}
	return kept
}

// TestCommand is the command, for any shell, that runs the scenarios of a file with a seed and these flags.
func TestCommand(file string, seed uint64, flags []string) string {
	return testLine(append([]string{file, "--seed", fmt.Sprint(seed)}, flags...))
}

// testLine is "simcloud test" with these arguments.
func testLine(arguments []string) string {
	words := []string{"simcloud", "test"}
	for _, word := range arguments {
		words = append(words, shellWord(word))
	}
	return strings.Join(words, " ")
}

// selectorOf chooses a scenario by its name: of "lb[code=locked]#2" the name in its file, and what its matrix has.
func selectorOf(name string) string {
	name, _, _ = strings.Cut(name, scenarios.RepetitionMark)
	name, values, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	if values != "" {
		values = "," + values
	}
	return "name=" + name + values
}

// shellWord quotes what a shell would not leave as it is.
func shellWord(word string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_=./:,+@%", c)
	}
	if word != "" && strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
