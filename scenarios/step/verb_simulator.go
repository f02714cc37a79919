package step

import (
	"context"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var simulatorVerb = syntax.Verb{
	Name:   "simulator",
	Doc:    "restart closes the cloud and opens it again from its file, at the same address; fault rules are gone then",
	Schema: syntax.EnumSchema("restart"),
	Parse: func(d *syntax.Decoder) syntax.Parsed {
		a := &simulatorAction{}
		return syntax.Parsed{
			Action: a,
			Decode: func(n *yaml.Node) { d.Word("simulator", &a.do, "restart")(n) },
			Text:   func() string { return a.do },
		}
	},
}

type simulatorAction struct{ do string }

func (a *simulatorAction) run(ctx context.Context, st *Stage) error {
	if err := st.clearAllFaults(ctx); err != nil { // they go with the process; what they have counted stays
		return err
	}
	if err := st.Simulator.RestartCloud(ctx); err != nil {
		return fmt.Errorf("restart the simulator: %w", err)
	}
	return st.Sync(ctx)
}
