package scenarios

import (
	"context"
	"slices"
)

// oracle judges the whole run of a scenario, beside its own expectations. Each
// is in a file of its own. It observes every change from the first on.
type oracle interface {
	observer
	// begin is called when the nodes are there and the steps are about to begin.
	begin(s *Snapshot)
	// verdict is called after finally. A run that has failed already is not waited for.
	verdict(ctx context.Context, st *stage, failed bool) []Failure
}

// rester is an oracle that looks at the world at rest: after the steps, when
// all have passed, and before finally.
type rester interface {
	rest(ctx context.Context, st *stage) error
}

// oracleTable are the oracles by the names that skipOracles has for them.
var oracleTable = []struct {
	name string
	make func(w World, s *Scenario) oracle
}{
	{"foreign-kept", func(World, *Scenario) oracle { return newForeignOracle() }},
	{"node-kept", func(World, *Scenario) oracle { return newNodeOracle() }},
	{"one-load-balancer", func(World, *Scenario) oracle { return newBalancerOracle() }},
	{"address-kept", func(w World, _ *Scenario) oracle { return newAddressOracle(w) }},
	{"no-flapping", func(World, *Scenario) oracle { return newFlapOracle() }},
	{"idle-writes", func(World, *Scenario) oracle { return &idleOracle{} }},
	{"call-budget", func(_ World, s *Scenario) oracle { return newBudgetOracle(s.Budget) }},
	{"ccm-alive", func(World, *Scenario) oracle { return ccmOracle{} }},
	{"no-secrets", func(w World, _ *Scenario) oracle { return newSecretOracle(w) }},
	// The last one, because it waits, and less when another has found fault.
	{"leak", func(World, *Scenario) oracle { return newLeakOracle() }},
}

// Oracles are the names of the oracles.
func Oracles() []string { return oracleNames() }

func oracleNames() []string {
	var names []string
	for _, o := range oracleTable {
		names = append(names, o.name)
	}
	return names
}

// oraclesFor makes the oracles that judge a scenario in a world.
func oraclesFor(w World, s *Scenario) []oracle {
	var all []oracle
	for _, o := range oracleTable {
		if !slices.Contains(s.SkipOracles, o.name) {
			all = append(all, o.make(w, s))
		}
	}
	return all
}

// rest lets the oracles look that want the world at rest.
func (st *stage) rest(ctx context.Context, all []oracle) error {
	for _, o := range all {
		if r, ok := o.(rester); ok {
			if err := r.rest(ctx, st); err != nil {
				return err
			}
		}
	}
	return nil
}
