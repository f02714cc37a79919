package step

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/simcloud"
)

var clockVerb = syntax.Verb{
	Name: "clock",
	Doc:  "sets how the cloud's clock runs, or advances a manual one",
	Schema: map[string]any{
		"type": "object", "additionalProperties": false, "minProperties": 1,
		"properties": map[string]any{
			"mode":    syntax.EnumSchema(string(simcloud.ClockReal), string(simcloud.ClockScaled), string(simcloud.ClockManual)),
			"factor":  map[string]any{"type": "number", "exclusiveMinimum": 0},
			"advance": syntax.DurationSchema,
		},
	},
	Parse: parseClock,
}

type clockAction struct {
	spec    simcloud.ClockSpec
	advance time.Duration
}

func parseClock(d *syntax.Decoder) syntax.Parsed {
	a := &clockAction{}
	return syntax.Parsed{
		Action: a,
		Decode: func(n *yaml.Node) {
			var mode string
			d.Object(n, "clock",
				syntax.Field{Name: "mode", Required: false, Decode: d.Text("mode", &mode)},
				syntax.Field{Name: "factor", Required: false, Decode: readFactor(d, &a.spec.Factor)},
				syntax.Field{Name: "advance", Required: false, Decode: d.Duration("advance", &a.advance)},
			)
			a.spec.Mode = simcloud.ClockMode(mode)
			checkClock(d, n, a)
		},
		Text: a.Text,
	}
}

func readFactor(d *syntax.Decoder, into *float64) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v, err := strconv.ParseFloat(syntax.Resolve(n).Value, 64)
		if err != nil {
			d.Errorf(n, "factor is %s: a number above 0 is right", syntax.Describe(syntax.Resolve(n)))
			return
		}
		*into = v
	}
}

func checkClock(d *syntax.Decoder, n *yaml.Node, a *clockAction) {
	switch {
	case (a.spec.Mode == "") == (a.advance == 0):
		d.Errorf(n, "clock has to have one of mode and advance")
	case a.spec.Mode != "":
		if err := a.spec.Validate(); err != nil {
			d.Errorf(n, "%v", err)
		}
	}
}

func (a *clockAction) Text() string {
	if a.advance > 0 {
		return "advance " + a.advance.String()
	}
	return string(a.spec.Mode)
}

func (a *clockAction) run(ctx context.Context, st *Stage) error {
	operation, args := "SetClock", map[string]any{"mode": string(a.spec.Mode)}
	if a.spec.Factor > 0 {
		args["factor"] = a.spec.Factor
	}
	if a.advance > 0 {
		operation, args = "AdvanceClock", map[string]any{"by": a.advance.String()}
	}
	if _, err := st.Cloud.Call(ctx, operation, args); err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	return nil
}
