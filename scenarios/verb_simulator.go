package scenarios

import (
	"context"
	"fmt"

	"go.yaml.in/yaml/v3"
)

var simulatorVerb = verb{
	name:   "simulator",
	doc:    "restart closes the cloud and opens it again from its file, at the same address; fault rules are gone then",
	schema: enumSchema("restart"),
	parse: func(d *decoder) parsed {
		a := &simulatorAction{}
		return parsed{
			action: a,
			decode: func(n *yaml.Node) { d.word("simulator", &a.do, "restart")(n) },
			text:   func() string { return a.do },
		}
	},
}

type simulatorAction struct{ do string }

func (a *simulatorAction) run(ctx context.Context, st *stage) error {
	if err := st.clearAllFaults(ctx); err != nil { // they go with the process; what they have counted stays
		return err
	}
	if err := st.Simulator.RestartCloud(ctx); err != nil {
		return fmt.Errorf("restart the simulator: %w", err)
	}
	return st.sync(ctx)
}
