package scenarios

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/simcloud"
)

var clockVerb = verb{
	name: "clock",
	doc:  "sets how the cloud's clock runs, or advances a manual one",
	schema: map[string]any{
		"type": "object", "additionalProperties": false, "minProperties": 1,
		"properties": map[string]any{
			"mode":    enumSchema(string(simcloud.ClockReal), string(simcloud.ClockScaled), string(simcloud.ClockManual)),
			"factor":  map[string]any{"type": "number", "exclusiveMinimum": 0},
			"advance": durationSchema,
		},
	},
	parse: parseClock,
}

type clockAction struct {
	spec    simcloud.ClockSpec
	advance time.Duration
}

func parseClock(d *decoder) parsed {
	a := &clockAction{}
	return parsed{
		action: a,
		decode: func(n *yaml.Node) {
			var mode string
			d.object(n, "clock",
				field{"mode", false, d.text("mode", &mode)},
				field{"factor", false, readFactor(d, &a.spec.Factor)},
				field{"advance", false, d.duration("advance", &a.advance)},
			)
			a.spec.Mode = simcloud.ClockMode(mode)
			checkClock(d, n, a)
		},
		text: a.text,
	}
}

func readFactor(d *decoder, into *float64) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v, err := strconv.ParseFloat(resolve(n).Value, 64)
		if err != nil {
			d.errorf(n, "factor is %s: a number above 0 is right", describe(resolve(n)))
			return
		}
		*into = v
	}
}

func checkClock(d *decoder, n *yaml.Node, a *clockAction) {
	switch {
	case (a.spec.Mode == "") == (a.advance == 0):
		d.errorf(n, "clock has to have one of mode and advance")
	case a.spec.Mode != "":
		if err := a.spec.Validate(); err != nil {
			d.errorf(n, "%v", err)
		}
	}
}

func (a *clockAction) text() string {
	if a.advance > 0 {
		return "advance " + a.advance.String()
	}
	return string(a.spec.Mode)
}

func (a *clockAction) run(ctx context.Context, st *stage) error {
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
