// Package fault lets a cloud misbehave on purpose: a rule says which calls, when,
// and what happens to them instead of what should.
//
// Rules are kept in memory: a cloud that starts again has none. What a rule
// does depends on the cloud's seed, on the rule's id and on the number of calls
// that it has matched, so two runs with the same calls see the same faults.
package fault

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// API is about the fault rules of a cloud. Its operations need an admin.
// Wherever an id is asked for, the name of a rule can be given too.
type API interface {
	// ListFaults returns all rules, oldest first.
	ListFaults(ctx context.Context) ([]Rule, error)
	GetFault(ctx context.Context, id simcloud.ID) (Rule, error)
	// AddFault puts the rule behind those that are there and returns it with its
	// id. It answers AlreadyExists when the name is taken, and Capacity when
	// there are MaxRules.
	AddFault(ctx context.Context, rule Rule) (Rule, error)
	// DeleteFault ends the rule and the locks that it holds.
	DeleteFault(ctx context.Context, id simcloud.ID) error
	// ClearFaults ends all rules. Ids begin again, and with them the dice.
	ClearFaults(ctx context.Context) error
}

// MaxRules is how many rules a cloud takes.
const MaxRules = 1000
