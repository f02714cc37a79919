package oracle

import (
	"context"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// Oracle judges the whole run of a scenario, beside its own expectations. Each
// is in a file of its own. It observes every change from the first on.
type Oracle interface {
	observe.Observer
	// Begin is called when the nodes are there and the steps are about to begin.
	Begin(s *observe.Snapshot)
	// verdict is called after finally, within a [Run.View]: nothing changes meanwhile.
	verdict(r Run, now *observe.Snapshot) []scenarios.Failure
}

// waiter is an oracle that waits for something before its verdict. A run that has failed already is not waited for as long.
type waiter interface {
	await(ctx context.Context, r Run, failed bool)
}

// Rester is an oracle that looks at the world at rest: after the steps, when
// all have passed, and before finally.
type Rester interface {
	Rest(ctx context.Context, r Run) error
}

// Run is what an oracle sees of a run, beside the changes that it observes.
type Run interface {
	// View shows the world as it is. Until look returns, no observer hears of a change. Look must not wait.
	View(look func(now *observe.Snapshot))
	// Sync brings the snapshot up to date with the cloud and the CCM.
	Sync(ctx context.Context) error
	// Until waits for a snapshot that fulfils a condition, of those in which this part has changed.
	Until(ctx context.Context, part observe.Source, fulfilled func(*observe.Snapshot) bool) error

	// Start is when the scenario began. Since is how many seconds later a time was, and When says it in words.
	Start() time.Time
	Since(t time.Time) float64
	When(t time.Time) string
	// Patience is how long something may take on this machine that takes d on one of ordinary speed.
	Patience(d time.Duration) time.Duration

	// Acts are the verbs of the steps that have acted, LastAct is when the last one had ended, and
	// ActedBetween reports whether one began in a time.
	Acts() []string
	LastAct() time.Time
	ActedBetween(from, to time.Time) bool
	// Reconfigured is when a step has last changed the CCM's settings; zero when none has.
	Reconfigured() time.Time
	// Deleted reports whether a step has deleted the object with the UID.
	Deleted(uid string) bool
	// Forbidden reports whether the CCM lacks rights of its role.
	Forbidden() bool

	CCM() Replica
	// Standby is nil when there is none.
	Standby() Replica
}

// Replica is a CCM under test, as far as an oracle looks at it.
type Replica interface {
	Running() bool
	Exits() []control.Exit
	LogTail(n int) []string
}

// Given is what is known of a scenario and its world when the oracles are made.
type Given struct {
	// Patience is that of [Run].
	Patience func(time.Duration) time.Duration
	// Logs are the paths of the logs of the CCM and its standby, Secrets those that they were given; nil when nothing is known.
	Logs    []string
	Secrets func() []control.Secret
	// PodRanges are those that pods have their addresses from.
	PodRanges []string
	// Writes are the resources and fields of others that the CCM is meant to write, as globs of [observe.Writable].
	Writes []string
	// IDs is how the cloud of the CCM shows the ids of resources; nil: as they are.
	IDs dialect.IDs
	// Budget is how many calls the CCM may make, by globs of operations.
	Budget map[string]int
}

// makers make the oracles, by the names that skipOracles has for them.
var makers = map[string]func(g Given) Oracle{
	"foreign-kept":      func(g Given) Oracle { return newForeignOracle(g) },
	"node-kept":         func(g Given) Oracle { return newNodeOracle(g.IDs) },
	"one-load-balancer": func(g Given) Oracle { return newBalancerOracle(g.IDs) },
	"address-kept":      func(g Given) Oracle { return newAddressOracle(g.Patience, g.IDs) },
	"no-flapping":       func(g Given) Oracle { return newFlapOracle(g.IDs) },
	"idle-writes":       func(Given) Oracle { return &idleOracle{} },
	"call-budget":       func(g Given) Oracle { return newBudgetOracle(g.Budget) },
	"ccm-alive":         func(Given) Oracle { return ccmOracle{} },
	"no-secrets":        func(g Given) Oracle { return newSecretOracle(g.Logs, g.Secrets) },
	"leak":              func(g Given) Oracle { return newLeakOracle(g.PodRanges, g.IDs) },
}

// New makes the oracle of a name.
func New(name string, g Given) Oracle { return makers[name](g) }

// All makes all oracles but these.
func All(g Given, skip []string) []Oracle {
	var all []Oracle
	for _, name := range scenarios.Oracles() {
		if !slices.Contains(skip, name) {
			all = append(all, New(name, g))
		}
	}
	return all
}

// momentOf is a time of the day, with the seconds since the scenario began.
func momentOf(r Run, t time.Time) string { return words.ClockTime(t.UTC()) + words.Since(r.Since(t)) }

// Judge is the verdict of an oracle.
func Judge(ctx context.Context, r Run, o Oracle, failed bool) (found []scenarios.Failure) {
	if w, ok := o.(waiter); ok {
		w.await(ctx, r, failed)
	}
	r.View(func(now *observe.Snapshot) { found = o.verdict(r, now) })
	return found
}

// Rest lets the oracles look that want the world at rest.
func Rest(ctx context.Context, r Run, all []Oracle) error {
	for _, o := range all {
		if resting, ok := o.(Rester); ok {
			if err := resting.Rest(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}
