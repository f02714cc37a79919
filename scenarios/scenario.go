package scenarios

import (
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"
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
	InterruptedTimeout = 15 * time.Second // of finally after Ctrl-C: the cluster goes anyway
	DefaultStepTimeout = 30 * time.Second // of a step that acts
)

// Oracles are the names of the oracles, which judge the whole run of a scenario, in the order in which they do. The
// last one waits, and less when another has found fault.
func Oracles() []string {
	return []string{
		"foreign-kept", "node-kept", "one-load-balancer", "address-kept", "no-flapping", "idle-writes", "call-budget",
		"ccm-alive", "no-secrets", "leak",
	}
}

// Scenario is one test: what to do and what to expect of it.
type Scenario struct {
	// Name is what reports call it: Base, and the values of its matrix if it has one, as in lb-retry[code=locked].
	Name string
	// Base is the name that the file has.
	Base string
	// Parameters are the values of its parameters and of its matrix.
	Parameters map[string]string
	Labels     map[string]string
	Position   Position
	// Description says which promise of a CCM the scenario checks.
	Description string
	// Nodes is how many machines, node-1 to node-N, exist when the steps begin.
	Nodes int
	// Light makes them hollow nodes.
	Light bool
	// Packets is whether it needs pods with real traffic: where there are none it is skipped.
	Packets bool
	// CCMStopped leaves the CCM stopped until a step starts it.
	CCMStopped bool
	// UsesCloudConfig is whether the scenario sets keys of simcloud-ccm's cloud
	// config: a CCM that does not read it cannot be tested by it.
	UsesCloudConfig bool
	// DelaysCCM is whether it delays what the CCM asks of the cluster.
	DelaysCCM bool
	// LagsAPI is whether it lets the API server show the CCM what is old.
	LagsAPI bool
	Timeout time.Duration
	Steps   []Step
	// Finally are the steps that run whatever happened.
	Finally []Step
	// SkipOracles names the oracles that do not judge this scenario.
	SkipOracles []string
	// Budget is how many calls the CCM may make, by globs of operations; the
	// oracle call-budget has a limit of its own for the others.
	Budget map[string]int
	// Capabilities are what a CCM must be able to do for this scenario to apply to it.
	Capabilities []string
	// KnownIssue is what a scenario shows that asserts a defect of one CCM; nil for all others.
	KnownIssue *KnownIssue

	// Settings are those of the CCM until a step changes them; package syntax knows what they are.
	Settings any
	Source   *yaml.Node // what it was read from, with its parameters put in and used steps in their places
}

// Step is one thing to do or to expect.
type Step struct {
	Position Position
	// Via are the places of the steps that use it, from the innermost on; none for a step of the scenario's own file.
	Via []Position
	// Verb is what the step does: a name of the table of verbs.
	Verb string
	// Text says the step in one line, for progress and reports.
	Text string
	// Because says what a CCM must do; it leads the message of a failure.
	Because string
	// Timeout ends the step; for an expectation it comes on top of its own time.
	Timeout time.Duration

	// Action is what the step does when its turn comes; package step knows what it is.
	Action any
	Source *yaml.Node // what it was read from, with its parameters put in
}

// Place says where the step is, and who uses it.
func (s Step) Place() string { return s.PlaceOf(s.Position.String()) }

// PlaceOf says where a part of the step is, which is at a position, and who uses the step.
func (s Step) PlaceOf(place string) string {
	for _, via := range s.Via {
		place += ", used at " + via.String()
	}
	return place
}

// RepetitionMark stands between the name of a scenario and the number of its repetition.
const RepetitionMark = "#"

// Repeated is the scenario under the name of one of its repetitions, which count from 1.
func (s *Scenario) Repeated(n int) *Scenario {
	other := *s
	other.Name = fmt.Sprintf("%s%s%d", s.Name, RepetitionMark, n)
	return &other
}
