// Package timeline records what happens in a run, in the lanes in which reports show it.
package timeline

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// Recorder makes the timeline of a run: it is called for steps and verdicts, and
// observes everything else.
type Recorder struct {
	observe.NopObserver

	start time.Time

	mu      sync.Mutex
	open    bool // what was there before is no news
	moments []scenarios.TimelineEntry
	// reads are the places of the latest reads that nothing came between, by what they read.
	reads map[string]int
	// other is the place of the latest moment that is no read of the CCM that went well.
	other int
	// faults are the places of the rules that are armed, by name, and their names by the ids that calls have.
	faults     map[string]int
	faultNames map[string]string
	// changes are the places of the latest changes of the cloud's resources, by id.
	changes map[string]int
	ccm     map[string]any // as it was last seen
	running map[string]int // the places of the replicas that run
	left    int            // moments that there was no room for
	// stated are the objects of which a moment has a state; stateBytes is how long the states are.
	stated     map[string]bool
	stateBytes int
	// exchanged is how long what calls sent and got is, and unexchanged the place before which calls have lost it.
	exchanged   int
	unexchanged int
}

// mostMoments is how many a timeline has at most: of more, those in the middle
// are left out, because the end is where something failed. mostRecorded is how
// many are kept until then. Steps, verdicts, faults and the CCM are never left out.
const (
	mostMoments  = 4000
	mostRecorded = 10 * mostMoments
)

// New makes a recorder for a run that began at a time.
func New(start time.Time) *Recorder {
	return &Recorder{
		start: start, reads: map[string]int{}, faults: map[string]int{}, faultNames: map[string]string{}, running: map[string]int{}, changes: map[string]int{}, stated: map[string]bool{},
	}
}

// Begin lets changes be news from now on, and times count from the start that "elapsed" counts from.
func (r *Recorder) Begin(start time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.start, r.open = start, true
}

// now is the time since the scenario began, in seconds.
func (r *Recorder) now() float64 { return r.At(time.Now()) }

// At turns a time into seconds since the scenario began.
func (r *Recorder) At(t time.Time) float64 { return words.TenthMilli(max(0, t.Sub(r.start).Seconds())) }

// add takes a moment in.
func (r *Recorder) add(m scenarios.TimelineEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addLocked(m)
}

func (r *Recorder) addLocked(m scenarios.TimelineEntry) int {
	maps.DeleteFunc(m.Detail, func(_, value string) bool { return value == "" })
	r.moments = append(r.moments, m)
	r.other = len(r.moments) - 1
	return r.other
}

// offerLocked takes a moment in if there is room; -1 when there is none.
func (r *Recorder) offerLocked(m scenarios.TimelineEntry) int {
	if len(r.moments) >= mostRecorded {
		r.left++
		return -1
	}
	m.Spare = true
	return r.addLocked(m)
}

// Timeline ends what still lasts, and returns everything in its order.
func (r *Recorder) Timeline() []scenarios.TimelineEntry {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := r.now()
	for _, open := range []map[string]int{r.faults, r.running} {
		for _, place := range open {
			r.moments[place].Until = end
		}
		clear(open)
	}
	all := append([]scenarios.TimelineEntry(nil), r.moments...)
	if r.left > 0 {
		all = append(all, leftOut(end, end, r.left))
	}
	sortMoments(all)
	return thinned(all, mostMoments)
}

// thinned leaves out of moments that are in order those in the middle that can be spared.
func thinned(all []scenarios.TimelineEntry, most int) []scenarios.TimelineEntry {
	spare := 0
	for _, m := range all {
		if m.Spare {
			spare++
		}
	}
	many := min(len(all)-most, spare)
	if many <= 0 {
		return all
	}
	var kept []scenarios.TimelineEntry
	first, gap, n := (spare-many)/2, -1, 0
	for _, m := range all {
		if m.Spare {
			n++
		}
		if !m.Spare || n <= first || n > first+many {
			kept = append(kept, m)
			continue
		}
		if gap < 0 {
			gap, kept = len(kept), append(kept, leftOut(m.At, m.At, many))
		}
		kept[gap].Until = m.At
	}
	return kept
}

// leftOut stands for moments that a timeline does not have.
func leftOut(from, to float64, n int) scenarios.TimelineEntry {
	return scenarios.TimelineEntry{At: from, Until: to, Lane: scenarios.LaneCalls, Title: words.Plural(n, "more moment") + " left out: logs/ has all calls"}
}

// sortMoments brings moments into the order in which they began.
func sortMoments(all []scenarios.TimelineEntry) {
	slices.SortStableFunc(all, func(a, b scenarios.TimelineEntry) int { return cmp.Compare(a.At, b.At) })
}

// alsoIn are the lanes that show the steps of a verb too, because they are what happens there.
var alsoIn = map[string]scenarios.Lane{"ccm": scenarios.LaneCCM, "kube": scenarios.LaneKube}

// Step takes a step in that has ended; failure is nil when it passed.
func (r *Recorder) Step(s scenarios.Step, result scenarios.StepResult, failure error) {
	m := scenarios.TimelineEntry{
		At: result.At, Until: words.TenthMilli(result.At + result.Seconds), Lane: scenarios.LaneSteps, Title: s.Text, Failed: !result.Passed,
		Detail: map[string]string{"position": result.Position, "because": s.Because},
	}
	if failure != nil {
		m.Detail["failure"] = failure.Error()
	}
	if result.Finally {
		m.Detail["finally"] = "true"
	}
	if s.Verb == "expect" {
		m.Lane = scenarios.LaneExpectations
	}
	r.add(m)
	if lane, also := alsoIn[s.Verb]; also {
		r.add(scenarios.TimelineEntry{At: m.At, Until: m.Until, Lane: lane, Title: s.Text, Failed: m.Failed, Detail: map[string]string{"step": result.Position}})
	}
}

// Verdict takes in what an oracle objects to. What does not say when it was seen was seen now.
func (r *Recorder) Verdict(f scenarios.Failure) {
	at := words.TenthMilli(f.At)
	if at == 0 {
		at = r.now()
	}
	r.add(scenarios.TimelineEntry{
		At: at, Lane: scenarios.LaneOracles, Title: scenarios.OracleTitle(f), Failed: true,
		Detail: map[string]string{"because": f.Because, "values": strings.Join(f.Values, "\n")},
	})
}
