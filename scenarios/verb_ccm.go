package scenarios

import (
	"context"
	"fmt"

	"go.yaml.in/yaml/v3"
)

var ccmVerbs = []string{"start", "stop", "restart", "kill", "pause", "resume"}

var ccmVerb = verb{
	name:   "ccm",
	doc:    "starts, stops, restarts, kills, pauses or resumes the CCM under test",
	schema: enumSchema(ccmVerbs...),
	parse: func(d *decoder) parsed {
		a := &ccmAction{}
		return parsed{
			action: a,
			decode: func(n *yaml.Node) { d.word("ccm", &a.do, ccmVerbs...)(n) },
			text:   func() string { return a.do },
		}
	},
}

type ccmAction struct{ do string }

func (a *ccmAction) run(ctx context.Context, st *stage) error {
	defer st.syncCCM()
	if err := a.act(ctx, st); err != nil {
		return fmt.Errorf("%s the CCM: %w", a.do, err)
	}
	return nil
}

func (a *ccmAction) act(ctx context.Context, st *stage) error {
	switch a.do {
	case "start":
		return st.CCM.Start(ctx)
	case "stop":
		return st.CCM.Stop(ctx)
	case "kill":
		return st.CCM.Kill(ctx)
	case "pause":
		return st.CCM.Pause()
	case "resume":
		return st.CCM.Resume()
	default: // restart
		st.restarts++
		return st.CCM.Restart(ctx)
	}
}
