package step

import (
	"context"
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/simcloud"
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

var clockVerb = syntax.Verb{
	Name:     "clock",
	Doc:      "sets how the cloud's clock runs, or advances a manual one",
	Effect:   syntax.Acts,
	Examples: []string{"{mode: manual}", "{mode: scaled, factor: 60}", "{advance: 30s}"},
	New:      func() syntax.Action { return &clockAction{} },
}

type clockAction struct {
	Mode    clockMode     `yaml:"mode" doc:"how the clock runs from now on"`
	Factor  float64       `yaml:"factor" doc:"how many times faster a scaled clock runs"`
	Advance time.Duration `yaml:"advance" doc:"how far to advance a manual clock"`
}

// clockMode is one that the specification of the clock judges, together with its factor.
type clockMode simcloud.ClockMode

func (*clockMode) Schema() map[string]any {
	return syntax.EnumSchema(string(simcloud.ClockReal), string(simcloud.ClockScaled), string(simcloud.ClockManual))
}

func (m *clockMode) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	mode, _ := d.ReadText(n, what)
	*m = clockMode(mode)
}

// Check reports what the cloud would refuse.
func (a *clockAction) Check(d *syntax.Decoder, n *yaml.Node) {
	switch {
	case (a.Mode == "") == (a.Advance == 0):
		d.Errorf(n, "clock has to have one of mode and advance")
	case a.Mode != "":
		spec := simcloud.ClockSpec{Mode: simcloud.ClockMode(a.Mode), Factor: a.Factor}
		if err := spec.Validate(); err != nil {
			d.Errorf(n, "%v", err)
		}
	}
}

func (a *clockAction) Text() string {
	if a.Advance > 0 {
		return "advance " + a.Advance.String()
	}
	return string(a.Mode)
}

func (a *clockAction) run(ctx context.Context, st *Stage) error {
	operation, args := "SetClock", map[string]any{"mode": string(a.Mode)}
	if a.Factor > 0 {
		args["factor"] = a.Factor
	}
	if a.Advance > 0 {
		operation, args = "AdvanceClock", map[string]any{"by": a.Advance.String()}
	}
	if _, err := st.Cloud.Call(ctx, operation, args); err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	return nil
}
