package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// budgetOracle is "call-budget": a CCM makes no more calls to the cloud than
// the work asks for. What spec.budget names is counted by that; the rest by the work observed, see [allowance].
type budgetOracle struct {
	observe.NopObserver
	explicit map[string]int
	work     work
	calls    map[string]int // by operation
	failed   map[string]answers
}

// answers counts calls that failed by the code that the cloud answered, or else by what a fault did to them.
type answers map[string]int

func (a answers) total() int {
	n := 0
	for _, times := range a {
		n += times
	}
	return n
}

func newBudgetOracle(explicit map[string]int) *budgetOracle {
	return &budgetOracle{explicit: explicit, calls: map[string]int{}, failed: map[string]answers{}, work: newWork()}
}

// listLies is the effect of faults on pages of lists, such as a smaller size: a call that it is done to has not failed.
const listLies = "page"

func (o *budgetOracle) Begin(*observe.Snapshot) {}

// asksWhoCalls reports whether a call stands for no operation of the cloud, such as the one for which credentials are
// got: a machine of AWS answers that itself, and it is no part of the rate of the account.
func asksWhoCalls(e simcloud.JournalEntry) bool {
	_, known := simcloud.EndpointOf(e.Operation)
	return !known
}

func (o *budgetOracle) CallEnded(e simcloud.JournalEntry, harness bool) {
	switch {
	case harness || e.Code == "" && e.Fault == "" && asksWhoCalls(e):
	case e.Code != "" || e.Fault != "" && e.Effect != listLies:
		if o.failed[e.Operation] == nil {
			o.failed[e.Operation] = answers{}
		}
		o.failed[e.Operation][cmp.Or(string(e.Code), e.Effect)]++
	default:
		o.calls[e.Operation]++
	}
}

func (o *budgetOracle) ObjectChanged(_ *observe.Snapshot, variable string, before, after map[string]any) {
	o.work.objectChanged(time.Now(), variable, before, after)
}

// share is a part of the calls that has a limit of its own.
type share struct {
	what  string
	limit int
	calls map[string]int // by operation
	// failed are those of them that failed.
	failed map[string]answers
}

// text says how often an operation was called, and what the cloud answered if it was not what it should.
func (s share) text(operation string) string {
	all, failed := s.calls[operation], s.failed[operation]
	text := fmt.Sprintf("%s: %s", operation, words.Times(all))
	codes := slices.SortedFunc(maps.Keys(failed), func(a, b string) int {
		return cmp.Or(failed[b]-failed[a], strings.Compare(a, b))
	})
	if len(codes) == 1 && failed[codes[0]] == all {
		return text + ", all " + codes[0]
	}
	for _, code := range codes {
		text += fmt.Sprintf(", %d %s", failed[code], code)
	}
	return text
}

func (s share) total() int {
	n := 0
	for _, calls := range s.calls {
		n += calls
	}
	return n
}

// shares divides the calls: by spec.budget, the others by what they are about, and those that failed.
func (o *budgetOracle) shares(r Run) []share {
	o.work.end(time.Now(), r)
	divided := map[string]*share{}
	put := func(what string, limit int, operation string, ok int, failed answers) {
		if divided[what] == nil {
			divided[what] = &share{what: what, limit: limit, calls: map[string]int{}, failed: map[string]answers{}}
		}
		divided[what].calls[operation] += ok + failed.total()
		if failed != nil {
			divided[what].failed[operation] = failed
		}
	}
	for operation, n := range o.calls {
		if pattern, limit, ok := o.named(operation); ok {
			put(pattern, limit, operation, n, o.failed[operation])
			continue
		}
		class := classOf(operation)
		put(class, allowance(class, o.work), operation, n, nil)
	}
	for operation, failed := range o.failed {
		pattern, limit, ok := o.named(operation)
		switch {
		case ok && o.calls[operation] == 0:
			put(pattern, limit, operation, 0, failed)
		case !ok:
			put(failedCalls, allowance(failedCalls, o.work), operation, 0, failed)
		}
	}
	var all []share
	for _, what := range slices.Sorted(maps.Keys(divided)) {
		all = append(all, *divided[what])
	}
	return all
}

// named finds the key of spec.budget that an operation falls under: the longest that matches, of two the first by name.
func (o *budgetOracle) named(operation string) (pattern string, limit int, ok bool) {
	for p, n := range o.explicit {
		longer := len(p) > len(pattern) || len(p) == len(pattern) && p < pattern
		if simcloud.Glob(p, operation) && (!ok || longer) {
			pattern, limit, ok = p, n, true
		}
	}
	return pattern, limit, ok
}

func (o *budgetOracle) verdict(r Run, _ *observe.Snapshot) []scenarios.Failure {
	var failures []scenarios.Failure
	for _, s := range o.shares(r) {
		if s.total() <= s.limit {
			continue
		}
		f := scenarios.Failure{
			Oracle:   "call-budget",
			Headline: fmt.Sprintf("the CCM made %d calls to the cloud of the kind %q: %d are allowed", s.total(), s.what, s.limit),
			Because:  "A CCM must make no more calls than its work asks for: the rate limit of a cloud's API is shared by all clients of the account, and one that exhausts it stops them all.",
			Values:   []string{"there were " + o.work.String()},
		}
		operations := slices.SortedFunc(maps.Keys(s.calls), func(a, b string) int {
			return cmp.Or(s.calls[b]-s.calls[a], strings.Compare(a, b))
		})
		for _, operation := range operations {
			f.Values = append(f.Values, s.text(operation))
		}
		failures = append(failures, f)
	}
	return failures
}
