package scenarios

// Pause is a scenario that has failed, and what there is to look at.
type Pause struct {
	Slot      int
	Scenario  *Scenario
	Namespace string
	Failure   Failure
	Access    Access
}
