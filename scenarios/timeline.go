package scenarios

// TimelineEntry is something that happened in a scenario, or that lasted for a while.
type TimelineEntry struct {
	// At and Until are seconds since the scenario began, as "elapsed" counts them; Until is 0 for what does not last.
	At    float64 `json:"at"`
	Until float64 `json:"until,omitempty"`
	Lane  Lane    `json:"lane"`
	// Title says in one line what it was.
	Title  string            `json:"title"`
	Detail map[string]string `json:"detail,omitempty"`
	// Failed: a call was refused, a step failed, an oracle objected, the CCM died.
	Failed bool `json:"failed,omitempty"`

	Spare bool `json:"-"` // it can be left out where there are too many
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
	LaneCalls        Lane = "calls" // of the CCM to the cloud
	LaneCloud        Lane = "cloud" // changes of its resources, whoever made them
	LaneKube         Lane = "kube"  // Events, and changes of objects
)

// Lanes returns all lanes, in the order in which a timeline shows them.
func Lanes() []Lane {
	return []Lane{LaneSteps, LaneExpectations, LaneOracles, LaneFaults, LaneCCM, LaneCalls, LaneCloud, LaneKube}
}
