package step

import (
	"context"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var clearFaultsVerb = syntax.Verb{
	Name: "clearFaults",
	Doc:  "ends fault rules of the scenario, by a name, a list of names, or all; what they have counted stays in faults",
	Schema: map[string]any{"oneOf": []any{
		syntax.StringSchema, map[string]any{"type": "array", "minItems": 1, "items": syntax.StringSchema},
	}},
	Parse: func(d *syntax.Decoder) syntax.Parsed {
		a := &clearFaultsAction{}
		return syntax.Parsed{
			Action: a,
			Decode: func(n *yaml.Node) { readFaultNames(d, n, a) },
			Text:   func() string { return strings.Join(a.names, ", ") },
		}
	},
}

type clearFaultsAction struct{ names []string }

func readFaultNames(d *syntax.Decoder, n *yaml.Node, a *clearFaultsAction) {
	one := func(n *yaml.Node) {
		var name string
		before := len(d.Errs)
		if d.Text("the name of a fault", &name)(n); len(d.Errs) > before {
			return
		}
		if name != allFaults {
			checkKnownFault(d, n, name)
		}
		a.names = append(a.names, name)
	}
	if n = syntax.Resolve(n); n.Kind != yaml.SequenceNode {
		one(n)
		return
	}
	if len(n.Content) == 0 {
		d.Errorf(n, "clearFaults is an empty list: the names of rules, or all, are right")
	}
	d.List(n, "clearFaults", one)
}

func (a *clearFaultsAction) run(ctx context.Context, st *Stage) error {
	for _, name := range a.names {
		if name == allFaults {
			return st.clearAllFaults(ctx)
		}
	}
	return st.clearFaults(ctx, a.names...)
}
