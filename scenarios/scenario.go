package scenarios

import (
	"time"
)

// APIVersion and Kind begin every scenario file.
const (
	APIVersion = "simcloud.dev/v1alpha1"
	Kind       = "Scenario"
)

// Limits that hold where a scenario does not say otherwise.
const (
	DefaultTimeout     = 5 * time.Minute  // of all steps together
	FinallyTimeout     = 2 * time.Minute  // of finally
	InterruptedTimeout = 5 * time.Second  // of finally after Ctrl-C: the cluster goes anyway
	DefaultStepTimeout = 30 * time.Second // of a step that acts
)

// Scenario is one test: what to do and what to expect of it.
type Scenario struct {
	Name     string
	Labels   map[string]string
	Position Position
	// Description says which promise of a CCM the scenario checks.
	Description string
	// Nodes is how many machines, node-1 to node-N, exist when the steps begin.
	Nodes int
	// CCMStopped leaves the CCM stopped until a step starts it.
	CCMStopped bool
	Timeout    time.Duration
	Steps      []Step
	// Finally are the steps that run whatever happened.
	Finally []Step
	// SkipOracles names the oracles that do not judge this scenario.
	SkipOracles []string
}

// Step is one thing to do or to expect.
type Step struct {
	Position Position
	// Verb is what the step does: a name of the table of verbs.
	Verb string
	// Text says the step in one line, for progress and reports.
	Text string
	// Because says what a CCM must do; it leads the message of a failure.
	Because string
	// Timeout ends the step; for an expectation it comes on top of its own time.
	Timeout time.Duration

	action action
}
