package explore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// Limits that hold where nothing else is said.
const (
	DefaultTime   = 10 * time.Minute
	DefaultReruns = 40
)

// Explorer looks for histories that a CCM does not get right.
type Explorer struct {
	// Runner runs histories.
	Runner Runner
	// Confirm runs the file of a violation that Runner has shown in simulated time, before it is believed. Nil
	// believes Runner, as one that is on real clusters.
	Confirm Runner
	// Parallel is how many places of Runner are used at the same time; at least 1.
	Parallel int
	// Seed is what the histories follow from: the same one makes the same, whatever the other settings but Areas and Capabilities.
	Seed uint64
	// History is the number of the only history that is run, from 1; 0 for one after the other.
	History int
	// Time is how long new histories are begun. What a violation is shrunk in comes on top.
	Time time.Duration
	// Histories is how many are run at most, besides those that shrink a violation; 0 for as many as Time has room
	// for. With it, Time can be 0 for as long as it takes.
	Histories int
	// Reruns is how many shorter histories are run at most to shrink a violation.
	Reruns int
	// Areas are the parts of a CCM's work that are explored; none is all that it can do.
	Areas []Area
	// Capabilities are what the CCM can do; nil is everything. What it cannot do is in no history: without
	// tokenRenewal no token is taken from it, since it would be right never to work again.
	Capabilities scenarios.CapabilitySet
	// Prompt is whether the API server cannot be made to answer the CCM late, as where the CCM runs in a pod: then no
	// history does.
	Prompt bool
	// Lags is whether the API server can be made to show the CCM what is old, as the simulated one.
	Lags bool
	// Corpus is the folder that keeps the histories which have shown something new, and the violations that were
	// found, from one exploration to the next; "" for none. Then four histories in five are made of those.
	Corpus string
	// Code tells how much of the CCM's code has run by now, in any unit; nil when that cannot be told. [CodeReached]
	// and testing.Coverage do for a CCM that runs in this process.
	Code func() float64
	// Progress receives what happens, a line at a time; from several goroutines.
	Progress func(line string)
}

// Report is what was found.
type Report struct {
	// Histories is how many were run, without those that shrank a violation.
	Histories int
	// Features is how many different things they have shown: calls, outcomes, states, Events, lines of logs.
	Features int
	Seconds  float64
	// Violation is the first that was found; nil when none was.
	Violation *Violation
	// Unstable are violations that did not happen again when the history was run again, which are races, or were
	// not run again.
	Unstable []*Violation
	// Unconfirmed are violations that happen in simulated time only.
	Unconfirmed []*Violation
	// Known is how often violations were seen that were reported before, by their names: those of the corpus, and
	// what is in Unstable and Unconfirmed.
	Known map[string]int
	// Kept is how many histories were added to the corpus.
	Kept int
}

// Violation is a promise that the CCM breaks, and how to see it.
type Violation struct {
	Name string
	// History is the number of the history that showed it, from 1.
	History int
	Failure scenarios.Failure
	// Text is the scenario that shows it.
	Text []byte
	// Steps is how many steps it has, FoundSteps how many the history had, and Reruns how many shorter ones were run.
	Steps, FoundSteps, Reruns int
	// Found and Shrunk are when, in seconds since the exploration began.
	Found, Shrunk float64
	// Interrupted is whether the exploration ended before the file was proven in new worlds.
	Interrupted bool
	// Confirmation is what became of it outside of simulated time.
	Confirmation Confirmation
	// Bred is whether the history was made of the corpus: then it does not follow from the seed and its number, and is
	// run again by its file.
	Bred bool

	// shortest is the history of Text, and title what Text says of itself.
	shortest History
	title    title
}

// Run explores until a violation was found and shrunk, or the time is over. It
// returns an error when the environment failed, and the context's when it was
// ended; the report is good in any case. The runners are closed then.
func (e *Explorer) Run(ctx context.Context) (report Report, err error) {
	began := time.Now()
	x := &exploration{Explorer: e, began: began}
	x.report.Known = map[string]int{}
	defer func() {
		err = errors.Join(err, x.close(context.WithoutCancel(ctx)))
		x.report.Seconds, x.report.Features = time.Since(began).Seconds(), len(x.sights.seen)
		report = x.report
	}()
	if err := x.open(); err != nil {
		return x.report, err
	}
	for x.more(ctx) {
		found, err := x.search(ctx)
		if err != nil {
			return x.report, err
		}
		if found == nil {
			break
		}
		if err := x.shrinkFound(ctx, found); err != nil || x.report.Violation != nil {
			return x.report, err
		}
	}
	return x.report, context.Cause(ctx)
}

// exploration is one Run.
type exploration struct {
	*Explorer
	began time.Time

	mu     sync.Mutex
	next   int
	report Report
	sights sights
	corpus *corpus // nil where none is kept
	known  []known
	// slowest is the longest that a CCM has taken to keep a promise, by its rule.
	slowest map[string]time.Duration
}

// open reads the corpus, if there is one.
func (x *exploration) open() (err error) {
	if x.Corpus == "" {
		return nil
	}
	x.corpus, x.known, err = openCorpus(x.Corpus, x.grammar(), x.progress)
	if err != nil {
		return fmt.Errorf("the corpus: %w", err)
	}
	for _, e := range x.corpus.entries {
		x.sights.remember(e.found)
	}
	x.progress("the corpus has %d histories and %s", len(x.corpus.entries), words.Plural(len(x.known), "violation"))
	return nil
}

// close closes the runners.
func (x *exploration) close(ctx context.Context) error {
	err := x.Runner.Close(ctx)
	if x.Confirm != nil {
		err = errors.Join(err, x.Confirm.Close(ctx))
	}
	return err
}
