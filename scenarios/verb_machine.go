package scenarios

import (
	"context"
	"fmt"

	"go.yaml.in/yaml/v3"
)

var machineVerbs = []string{"boot", "kill", "freeze", "thaw"}

var machineVerb = verb{
	name: "machine",
	doc:  "boots a node that has no instance, or kills, freezes or thaws a machine",
	schema: map[string]any{
		"type": "object", "additionalProperties": false, "minProperties": 1,
		"properties": map[string]any{
			"boot": stringSchema, "kill": stringSchema, "freeze": stringSchema, "thaw": stringSchema,
			"labels": labelsSchema, "light": booleanSchema,
		},
	},
	parse: parseMachine,
}

type machineAction struct {
	do     string
	name   string
	labels map[string]string
	light  bool
}

func parseMachine(d *decoder) parsed {
	a := &machineAction{}
	return parsed{
		action: a,
		decode: func(n *yaml.Node) {
			fields := []field{
				{"labels", false, d.labels("labels", &a.labels)},
				{"light", false, d.boolean("light", &a.light)},
			}
			for _, name := range machineVerbs {
				fields = append(fields, field{name, false, func(n *yaml.Node) { d.machine(n, name, a) }})
			}
			d.object(n, "machine", fields...)
			switch {
			case a.do == "":
				d.errorf(n, "machine does not say what to do: one of %s is right", oneOf(machineVerbs))
			case a.do != "boot" && (a.light || a.labels != nil):
				d.errorf(n, "labels and light go with boot alone")
			}
		},
		text: func() string { return a.do + " " + a.name },
	}
}

func (d *decoder) machine(n *yaml.Node, do string, a *machineAction) {
	if a.do != "" {
		d.errorf(n, "machine does one thing: %s and %s are two", a.do, do)
		return
	}
	a.do = do
	d.text(do, &a.name)(n)
}

func (a *machineAction) run(ctx context.Context, st *stage) error {
	if err := a.act(ctx, st.Machines); err != nil {
		return fmt.Errorf("%s the machine %s: %w", a.do, a.name, err)
	}
	return nil
}

func (a *machineAction) act(ctx context.Context, m Machines) error {
	switch a.do {
	case "boot":
		return m.Boot(ctx, a.name, a.labels, a.light)
	case "kill":
		return m.Kill(a.name)
	case "freeze":
		return m.Freeze(a.name)
	default: // thaw
		return m.Thaw(a.name)
	}
}
