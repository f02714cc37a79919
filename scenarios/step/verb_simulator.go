package step

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var simulatorVerb = syntax.Verb{
	Name:     "simulator",
	Doc:      "restart closes the cloud and opens it again from its file, at the same address; fault rules are gone then",
	Effect:   syntax.Acts,
	Examples: []string{"restart"},
	New:      func() syntax.Action { return &simulatorAction{} },
}

type simulatorAction struct {
	Do string `yaml:",value" enum:"restart"`
}

func (a *simulatorAction) Text() string { return a.Do }

func (a *simulatorAction) run(ctx context.Context, st *Stage) error {
	if err := st.clearAllFaults(ctx); err != nil { // they go with the process; what they have counted stays
		return err
	}
	if err := st.Simulator.RestartCloud(ctx); err != nil {
		return fmt.Errorf("restart the simulator: %w", err)
	}
	return st.Sync(ctx)
}
