package run

import (
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// Pause is a scenario that has failed, and what there is to look at.
type Pause struct {
	Slot      int
	Scenario  *scenarios.Scenario
	Namespace string
	Failure   scenarios.Failure
	Access    step.Access
}
