package fault

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Rule says which calls go wrong, when, and how. Of several rules that fire at
// one call the oldest one wins.
type Rule struct {
	// ID is "fault-N"; the cloud gives it.
	ID simcloud.ID `json:"id,omitempty"`
	// Name may stand for the id; it is unique. Rules that are armed by a label need one.
	Name  string `json:"name,omitempty"`
	Match Match  `json:"match,omitzero"`
	When  When   `json:"when,omitzero"`
	// Arm is "label" for a rule that holds for those resources alone that have the label
	// sim.simcloud.dev/fault with the name of the rule.
	Arm    string `json:"arm,omitempty"`
	Effect Effect `json:"effect"`
	// Added is when the rule was added, by the cloud's clock.
	Added time.Time `json:"added,omitzero"`
	// Calls is how many calls have matched while the rule was on, and Hits how
	// often it has fired.
	Calls uint64 `json:"calls"`
	Hits  uint64 `json:"hits"`
}

// ArmByLabel lets a rule hold for those resources alone that have the label
// Label with the rule's name, from the call on that creates them.
const ArmByLabel = "label"

// Label is the key of the label that arms a rule for a resource.
const Label = "sim.simcloud.dev/fault"

// Match chooses calls; all that is set must be so. In globs * stands for any
// text. The simulator's own operations, below /_sim, never match.
type Match struct {
	// Operation is a glob, such as "Create*"; empty means all. One with a colon is for
	// operations of a dialect, such as "hcloud:add_target".
	Operation string `json:"operation,omitempty"`
	// Resource is a glob for the resource of the path ("instance/i-*"), which is
	// the kind alone for lists and creations, or for the resource's name.
	Resource string `json:"resource,omitempty"`
	// Labels is a selector for the resource's labels, in Kubernetes' syntax.
	Labels string `json:"labels,omitempty"`
	// Zone is the zone that the resource is in.
	Zone simcloud.ID `json:"zone,omitempty"`
	// Caller is a glob for the program (the user agent) or for the id of the token.
	Caller string `json:"caller,omitempty"`
	// Project is the project of the caller.
	Project simcloud.ID `json:"project,omitempty"`
}

// When chooses among the calls that match.
type When struct {
	// Skip is how many calls are left alone first.
	Skip uint64 `json:"skip,omitempty"`
	// Times is how often the rule fires at most; 0 means without an end.
	Times uint64 `json:"times,omitempty"`
	// Every makes the rule fire on every Nth matching call after those skipped: 3 means the third, the sixth and so on.
	Every uint64 `json:"every,omitempty"`
	// Probability is how likely each of those calls is to fire; 0 means certain.
	Probability float64 `json:"probability,omitempty"`
	// After is how long after it was added the rule begins, by the cloud's clock.
	After simcloud.Duration `json:"after,omitempty"`
	// Until is how long after it was added the rule ends, by the cloud's clock; 0 means without an end.
	Until simcloud.Duration `json:"until,omitempty"`
}
