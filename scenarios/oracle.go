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

// oracleTable are the oracles by the names that skipOracles has for them.
var oracleTable = []struct {
	name string
	make func() oracle
}{
	{"leak", func() oracle { return newLeakOracle() }},
	{"node-kept", func() oracle { return newNodeOracle() }},
	{"ccm-alive", func() oracle { return ccmOracle{} }},
}

func oracleNames() []string {
	var names []string
	for _, o := range oracleTable {
		names = append(names, o.name)
	}
	return names
}

// oraclesFor makes the oracles that judge a scenario.
func oraclesFor(s *Scenario) []oracle {
	var all []oracle
	for _, o := range oracleTable {
		if !slices.Contains(s.SkipOracles, o.name) {
			all = append(all, o.make())
		}
	}
	return all
}
