package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// Merged is the report of several folders, and where its logs are.
type Merged struct {
	Report scenarios.Report
	logs   []logSource
}

// Merge makes one report of those of several folders: the shards of a run, of which each scenario is in one alone;
// or, with repeats, runs of the same scenarios, of which each becomes a repetition. All must be of one CCM, one
// version of simcloud and the same flags, and shards of one seed: a report has one of each.
func Merge(folders []Folder, repeats bool) (Merged, error) {
	first := folders[0]
	for _, f := range folders[1:] {
		if err := mergeable(first, f, repeats); err != nil {
			return Merged{}, err
		}
	}
	if !repeats {
		if err := eachOnce(folders); err != nil {
			return Merged{}, err
		}
	}
	m := Merged{Report: scenarios.Report{
		Started: first.Report.Started, Seed: first.Report.Seed, Subject: first.Report.Subject, Version: first.Report.Version,
		Flags: first.Report.Flags, SkipOracles: first.Report.SkipOracles, Phases: map[scenarios.Phase]float64{},
	}}
	name := newNames(folders)
	for i, f := range folders {
		renamed := m.add(f, name)
		m.logs = append(m.logs, logSource{folder: f, number: i + 1, slots: m.Report.Parallel, names: renamed})
		m.Report.Parallel += f.Report.Parallel
	}
	m.Report.Seconds = busySeconds(folders)
	m.Report.Missing = missingShards(folders)
	slices.SortStableFunc(m.Report.Scenarios, func(a, b scenarios.Result) int { return cmp.Compare(baseName(a.Name), baseName(b.Name)) })
	return m, nil
}

// mergeable refuses a report of which the first one's facts would be wrong.
func mergeable(first, other Folder, repeats bool) error {
	a, b := first.Report, other.Report
	seeds := [2]string{fmt.Sprint(a.Seed), fmt.Sprint(b.Seed)}
	if repeats {
		seeds = [2]string{}
	}
	for _, fact := range []struct{ name, a, b string }{
		{"CCM", a.Subject, b.Subject}, {"version of simcloud", a.Version, b.Version}, {"seed", seeds[0], seeds[1]},
		{"set of flags", shellWords(a.Flags), shellWords(b.Flags)},
	} {
		if fact.a != fact.b {
			return fmt.Errorf("cannot merge %s with %s: the %s is %q in the first and %q in the second", first.Path, other.Path, fact.name, fact.a, fact.b)
		}
	}
	return nil
}

// eachOnce refuses a scenario that is in two folders: no one could say which of its results counts.
func eachOnce(folders []Folder) error {
	where := map[string]string{}
	var twice []string
	for _, f := range folders {
		for _, s := range f.Report.Scenarios {
			if before, there := where[s.Name]; there {
				twice = append(twice, fmt.Sprintf("%s is in both %s and %s", s.Name, before, f.Path))
			}
			where[s.Name] = f.Path
		}
	}
	if len(twice) == 0 {
		return nil
	}
	more := ""
	if n := len(twice) - 1; n > 0 {
		more = fmt.Sprintf(" (and %s more)", words.Plural(n, "scenario"))
	}
	return fmt.Errorf("%s%s: the shards of one run have each scenario once; to merge runs of the same scenarios, use --repeats", twice[0], more)
}

// newNames gives each result its name in the merged report: a scenario with several results has numbered repetitions.
func newNames(folders []Folder) func(name string) string {
	total, given := map[string]int{}, map[string]int{}
	for _, f := range folders {
		for _, s := range f.Report.Scenarios {
			total[baseName(s.Name)]++
		}
	}
	return func(name string) string {
		base := baseName(name)
		if total[base] == 1 {
			return name
		}
		given[base]++
		return base + scenarios.RepetitionMark + strconv.Itoa(given[base])
	}
}

// baseName is the name of a scenario without the number of its repetition.
func baseName(name string) string {
	base, _, _ := strings.Cut(name, scenarios.RepetitionMark)
	return base
}

// add adds the results of a folder. It returns their names by those that they had.
func (m *Merged) add(f Folder, name func(string) string) map[string]string {
	r := &m.Report
	if f.Report.Started.Before(r.Started) {
		r.Started = f.Report.Started
	}
	r.Factor = max(r.Factor, f.Report.Factor)
	for phase, seconds := range f.Report.Phases {
		r.Phases[phase] += seconds
	}
	renamed := map[string]string{}
	for _, s := range f.Report.Scenarios {
		renamed[s.Name] = name(s.Name)
		s.Name, s.Slot, s.Seed = renamed[s.Name], s.Slot+r.Parallel, cmp.Or(s.Seed, f.Report.Seed)
		r.Scenarios = append(r.Scenarios, s)
	}
	return renamed
}

// busySeconds is how long at least one of the runs took place: shards run at the same time, repeats may be days apart.
func busySeconds(folders []Folder) (total float64) {
	runs := slices.SortedFunc(slices.Values(folders), func(a, b Folder) int { return a.Report.Started.Compare(b.Report.Started) })
	began := runs[0].Report.Started
	until := 0.0
	for _, f := range runs {
		from := max(f.Report.Started.Sub(began).Seconds(), until)
		to := f.Report.Started.Sub(began).Seconds() + f.Report.Seconds
		total += max(0, to-from)
		until = max(until, to)
	}
	return total
}

// mostShards is how many parts of a run are counted: no CI server has more jobs.
const mostShards = 1000

// missingShards are the parts of the run that no folder has: without them a report is not that of the whole run.
func missingShards(folders []Folder) (missing []string) {
	of, have := 0, map[int]bool{}
	for _, f := range folders {
		var i, n int
		if _, err := fmt.Sscanf(f.Report.Shard, "%d/%d", &i, &n); err == nil && n <= mostShards {
			of, have[i] = max(of, n), true
		}
	}
	for i := range of {
		if !have[i+1] {
			missing = append(missing, fmt.Sprintf("%d/%d", i+1, of))
		}
	}
	return missing
}

func shellWords(all []string) string {
	quoted := make([]string, len(all))
	for i, word := range all {
		quoted[i] = shellWord(word)
	}
	return strings.Join(quoted, " ")
}
