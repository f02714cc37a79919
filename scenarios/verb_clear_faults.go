package scenarios

import (
	"context"
	"strings"

	"go.yaml.in/yaml/v3"
)

var clearFaultsVerb = verb{
	name: "clearFaults",
	doc:  "ends fault rules of the scenario, by a name, a list of names, or all; what they have counted stays in faults",
	schema: map[string]any{"oneOf": []any{
		stringSchema, map[string]any{"type": "array", "minItems": 1, "items": stringSchema},
	}},
	parse: func(d *decoder) parsed {
		a := &clearFaultsAction{}
		return parsed{
			action: a,
			decode: func(n *yaml.Node) { readFaultNames(d, n, a) },
			text:   func() string { return strings.Join(a.names, ", ") },
		}
	},
}

type clearFaultsAction struct{ names []string }

func readFaultNames(d *decoder, n *yaml.Node, a *clearFaultsAction) {
	one := func(n *yaml.Node) {
		var name string
		before := len(d.errs)
		if d.text("the name of a fault", &name)(n); len(d.errs) > before {
			return
		}
		if name != allFaults {
			checkKnownFault(d, n, name)
		}
		a.names = append(a.names, name)
	}
	if n = resolve(n); n.Kind != yaml.SequenceNode {
		one(n)
		return
	}
	if len(n.Content) == 0 {
		d.errorf(n, "clearFaults is an empty list: the names of rules, or all, are right")
	}
	d.list(n, "clearFaults", one)
}

func (a *clearFaultsAction) run(ctx context.Context, st *stage) error {
	for _, name := range a.names {
		if name == allFaults {
			return st.clearAllFaults(ctx)
		}
	}
	return st.clearFaults(ctx, a.names...)
}
