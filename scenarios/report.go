package scenarios

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Status is how a scenario ended.
type Status string

// How a scenario can end.
const (
	Passed Status = "passed"
	Failed Status = "failed"
	// KnownFailed: the scenario failed, and is known to: see Result.Known.
	KnownFailed Status = "known_failure"
	// Undecided: the scenario failed after the CCM had asked for what simcloud does not simulate, so that nothing is known of it.
	Undecided Status = "undecided"
	// Invalid: the scenario file is wrong, so that nothing is known of the CCM.
	Invalid Status = "invalid"
	// Broken: the environment failed, so that nothing is known of the CCM.
	Broken Status = "broken"
	// Skipped: the scenario cannot be run with this CCM.
	Skipped Status = "skipped"
	// Interrupted: the run was ended in the middle of it.
	Interrupted Status = "interrupted"
	// NotRun: the run was ended before its turn.
	NotRun Status = "not_run"
)

// Words is how people read it: "not run".
func (s Status) Words() string { return strings.ReplaceAll(string(s), "_", " ") }

// Report is what a run found.
type Report struct {
	Started time.Time `json:"started"`
	// Seconds is how long the run took.
	Seconds float64 `json:"seconds"`
	Seed    uint64  `json:"seed"`
	Subject string  `json:"subject"`
	// Version is the version of simcloud that ran the scenarios.
	Version string `json:"version,omitempty"`
	// Shard is the part of the scenarios that the run had, such as 2/3; empty for all of them.
	Shard string `json:"shard,omitempty"`
	// Missing are the parts that a merged report lacks.
	Missing []string `json:"missing,omitempty"`
	// Flags are those of the command line without which a scenario would not run in the same way.
	Flags []string `json:"flags,omitempty"`
	// SkipOracles are the oracles that the profile of the CCM leaves out in all scenarios.
	SkipOracles []string `json:"skipOracles,omitempty"`
	Parallel    int      `json:"parallel"`
	// Factor says how many times slower than two cores that carry one other cluster this machine was at worst
	// when a cluster started, from 1: all bounds on time were multiplied by that.
	Factor    float64  `json:"factor,omitempty"`
	Scenarios []Result `json:"scenarios"`
	// Phases is how the time of all slots together divides, in seconds.
	Phases map[Phase]float64 `json:"phases"`
}

// Result is how one scenario went.
type Result struct {
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels,omitempty"`
	File        string            `json:"file"`
	Line        int               `json:"line,omitempty"`
	Description string            `json:"description"`
	Status      Status            `json:"status"`
	Started     time.Time         `json:"started,omitzero"`
	Seconds     float64           `json:"seconds"`
	Slot        int               `json:"slot"`
	// Seed is what ids and addresses followed from.
	Seed uint64 `json:"seed"`
	// Parameters are the values of its parameters and of its matrix.
	Parameters map[string]string `json:"parameters,omitempty"`
	// Phases is how its time divides, in seconds.
	Phases   map[Phase]float64 `json:"phases,omitempty"`
	Steps    []StepResult      `json:"steps,omitempty"`
	Failures []Failure         `json:"failures,omitempty"`
	// Warnings are of a scenario that passed.
	Warnings []Warning `json:"warnings,omitempty"`
	// Retries is how often it was run again because it had failed, and Flaked how it
	// failed before the run that this is the result of.
	Retries int       `json:"retries,omitempty"`
	Flaked  []Failure `json:"flaked,omitempty"`
	// Known is the entry of the list of known failures about a scenario that failed, or passed all the same.
	Known *KnownFailure `json:"known,omitempty"`
	// Error says how the environment failed, when the scenario is broken.
	Error string `json:"error,omitempty"`
	// Reason says why the scenario was skipped, or is undecided.
	Reason string `json:"reason,omitempty"`
	// Inventory is everything that the cloud held at some moment, with ids and
	// addresses. With the same seed it is the same.
	Inventory []string `json:"inventory,omitempty"`
	// Calls are the calls that the CCM made, by operation.
	Calls map[string]int `json:"calls,omitempty"`
	// Unsimulated are the calls among them for what the cloud has and simcloud does not simulate, by operation and
	// answer. What follows from such a call is not the CCM's fault.
	Unsimulated map[string]int `json:"unsimulated,omitempty"`
	// Timeline is what happened, in the order in which it began.
	Timeline []TimelineEntry `json:"timeline,omitempty"`

	// Source is the scenario in its file; nil where that is not known, and of repetitions that passed.
	Source *Source `json:"source,omitempty"`

	// Whole are the failures whose long texts were cut, with these.
	Whole []Failure `json:"-"`
	// CallValues are those of the CCM, as expressions see them; journal has those of others too.
	CallValues []any                   `json:"-"`
	Journal    []simcloud.JournalEntry `json:"-"`
}

// Source is the text of a scenario, and the line of its file where the text begins.
type Source struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// StepResult is how one step went.
type StepResult struct {
	Position string `json:"position"`
	Step     string `json:"step"`
	Finally  bool   `json:"finally,omitempty"`
	// At is when it began, in seconds since the scenario did; Seconds is how long it took.
	At      float64 `json:"at"`
	Seconds float64 `json:"seconds"`
	Passed  bool    `json:"passed"`
}

// Phase is a part of the time that a run takes.
type Phase string

// The phases, in their order.
const (
	PhaseCluster Phase = "cluster start"
	PhaseNodes   Phase = "nodes"
	PhaseSteps   Phase = "steps"
	PhaseFinally Phase = "finally"
	PhaseOracles Phase = "oracles"
	PhaseReset   Phase = "reset"
)

// Phases returns all phases in their order.
func Phases() []Phase {
	return []Phase{PhaseCluster, PhaseNodes, PhaseSteps, PhaseFinally, PhaseOracles, PhaseReset}
}

// Count returns how many scenarios ended so.
func (r Report) Count(status Status) int {
	n := 0
	for _, s := range r.Scenarios {
		if s.Status == status {
			n++
		}
	}
	return n
}

// Flaky reports whether the scenario passed only when it was run once more.
func (r Result) Flaky() bool { return r.Status == Passed && r.Retries > 0 }

// FlakyNames names the scenarios that passed only when they were run once more.
func (r Report) FlakyNames() []string {
	var names []string
	for _, s := range r.Scenarios {
		if s.Flaky() {
			names = append(names, s.Name)
		}
	}
	return names
}

// Join adds what a later run has found.
func (r Report) Join(later Report) Report {
	if r.Started.IsZero() {
		return later
	}
	r.Seconds += later.Seconds
	r.Parallel = max(r.Parallel, later.Parallel)
	r.Scenarios = slices.Concat(r.Scenarios, later.Scenarios)
	phases := maps.Clone(r.Phases)
	for phase, seconds := range later.Phases {
		phases[phase] += seconds
	}
	r.Phases = phases
	return r
}

// TimelineEntry is something that happened in a scenario, or that lasted for a while.
type TimelineEntry struct {
	// At and Until are seconds since the scenario began, as "elapsed" counts them; Until is 0 for what does not last.
	At    float64 `json:"at"`
	Until float64 `json:"until,omitempty"`
	Lane  Lane    `json:"lane"`
	// Title says in one line what it was.
	Title  string            `json:"title"`
	Detail map[string]string `json:"detail,omitempty"`
	// Object is what the object that changed was then; nil for what is no change, and of a scenario that passed.
	Object *ObjectState `json:"object,omitempty"`
	// Exchange is what a call sent and got; nil for what is no call, and where there were too many.
	Exchange *simcloud.Exchange `json:"exchange,omitempty"`
	// Failed: a call was refused, a step failed, an oracle objected, the CCM died.
	Failed bool `json:"failed,omitempty"`

	Spare bool `json:"-"` // it can be left out where there are too many
}

// ObjectState is an object of the cluster, or a resource of the cloud, after a change.
type ObjectState struct {
	// Name is what the timeline calls it, such as "service web".
	Name string `json:"name"`
	// State is its JSON; empty when it is gone.
	State string `json:"state,omitempty"`
	// Before is its JSON before the change, where no earlier moment has it.
	Before string `json:"before,omitempty"`
}

// Lane is where a timeline shows a moment: what kind of thing it is.
type Lane string

// The lanes.
const (
	LaneSteps        Lane = "steps"
	LaneExpectations Lane = "expectations"
	LaneOracles      Lane = "oracles"
	LaneFaults       Lane = "faults"
	LaneCCM          Lane = "ccm"   // starts, ends and restarts of the CCM and its standby
	LaneLog          Lane = "log"   // what the CCM and its standby logged
	LaneCalls        Lane = "calls" // of the CCM to the cloud
	LaneCloud        Lane = "cloud" // changes of its resources, whoever made them
	LaneKube         Lane = "kube"  // Events, and changes of objects
)

// Lanes returns all lanes, in the order in which a timeline shows them.
func Lanes() []Lane {
	return []Lane{LaneSteps, LaneExpectations, LaneOracles, LaneFaults, LaneCCM, LaneLog, LaneCalls, LaneCloud, LaneKube}
}
