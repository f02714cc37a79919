package step

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var machineVerbs = []string{"boot", "kill", "freeze", "thaw", "partition", "heal"}

var machineVerb = syntax.Verb{
	Name: "machine",
	Doc:  "boots a node that has no instance, or kills, freezes or thaws a machine, or cuts it off from the network (partition) or joins it again (heal)",
	Schema: map[string]any{
		"type": "object", "additionalProperties": false, "minProperties": 1,
		"properties": map[string]any{
			"boot": syntax.StringSchema, "kill": syntax.StringSchema, "freeze": syntax.StringSchema, "thaw": syntax.StringSchema,
			"partition": syntax.StringSchema, "heal": syntax.StringSchema,
			"labels": syntax.LabelsSchema, "light": syntax.BooleanSchema, "initialized": syntax.BooleanSchema,
			"nodeIPs":    map[string]any{"type": "array", "minItems": 1, "items": syntax.StringSchema, "description": "what the kubelet was told with --node-ip"},
			"providerID": map[string]any{"type": "string", "description": "what the Node registers with"},
		},
	},
	Parse: parseMachine,
}

type machineAction struct {
	do          string
	text        string
	name        expr.Template
	labels      map[string]expr.Template
	light       bool
	nodeIPs     []expr.Template
	providerID  expr.Template
	initialized bool
}

func parseMachine(d *syntax.Decoder) syntax.Parsed {
	a := &machineAction{}
	return syntax.Parsed{
		Action: a,
		Decode: func(n *yaml.Node) {
			fields := []syntax.Field{
				{Name: "labels", Required: false, Decode: func(n *yaml.Node) { readMachineLabels(d, n, a) }},
				{Name: "light", Required: false, Decode: d.Boolean("light", &a.light)},
				{Name: "nodeIPs", Required: false, Decode: func(n *yaml.Node) { readNodeIPs(d, n, a) }},
				{Name: "providerID", Required: false, Decode: func(n *yaml.Node) { d.TemplateText(n, "providerID", &a.providerID) }},
				{Name: "initialized", Required: false, Decode: d.Boolean("initialized", &a.initialized)},
			}
			for _, name := range machineVerbs {
				fields = append(fields, syntax.Field{Name: name, Required: false, Decode: func(n *yaml.Node) { readMachine(d, n, name, a) }})
			}
			d.Object(n, "machine", fields...)
			checkMachine(d, n, a)
		},
		Text: func() string { return a.do + " " + a.text },
	}
}

// checkMachine reports keys that do not go together.
func checkMachine(d *syntax.Decoder, n *yaml.Node, a *machineAction) {
	shaped := len(a.nodeIPs) > 0 || len(a.providerID.Parts) > 0 || a.initialized
	switch {
	case a.do == "":
		d.Errorf(n, "machine does not say what to do: one of %s is right", syntax.OneOf(machineVerbs))
	case a.do != "boot" && (a.light || a.labels != nil || shaped):
		d.Errorf(n, "labels, light, nodeIPs, providerID and initialized go with boot alone")
	case shaped && !a.light:
		d.Errorf(n, "nodeIPs, providerID and initialized need light: true, because a real kubelet has no such shapes here")
	}
}

func readMachine(d *syntax.Decoder, n *yaml.Node, do string, a *machineAction) {
	if a.do != "" {
		d.Errorf(n, "machine does one thing: %s and %s are two", a.do, do)
		return
	}
	a.do, a.text = do, syntax.Resolve(n).Value
	d.TemplateText(n, do, &a.name)
}

func readMachineLabels(d *syntax.Decoder, n *yaml.Node, a *machineAction) {
	var labels map[string]string
	d.Labels("labels", &labels)(n)
	a.labels = map[string]expr.Template{}
	for key, value := range labels {
		a.labels[key] = d.Template(n, value)
	}
}

func readNodeIPs(d *syntax.Decoder, n *yaml.Node, a *machineAction) {
	d.List(n, "nodeIPs", func(n *yaml.Node) {
		var address expr.Template
		d.TemplateText(n, "an address", &address)
		a.nodeIPs = append(a.nodeIPs, address)
	})
}

func (a *machineAction) run(ctx context.Context, st *Stage) error {
	spec, err := a.expand(st.Store.Snapshot())
	if err == nil {
		err = a.act(ctx, st.Machines, spec)
	}
	if err != nil {
		return fmt.Errorf("%s the machine %s: %w", a.do, a.text, err)
	}
	return nil
}

func (a *machineAction) expand(s *observe.Snapshot) (spec MachineSpec, err error) {
	spec = MachineSpec{Light: a.light, Initialized: a.initialized}
	put := func(t expr.Template) string {
		text, wrong := t.Expand(s)
		if err == nil {
			err = wrong
		}
		return text
	}
	spec.Name, spec.ProviderID = put(a.name), put(a.providerID)
	for _, address := range a.nodeIPs {
		spec.NodeIPs = append(spec.NodeIPs, put(address))
	}
	for _, key := range slices.Sorted(maps.Keys(a.labels)) {
		if spec.Labels == nil {
			spec.Labels = map[string]string{}
		}
		spec.Labels[key] = put(a.labels[key])
	}
	return spec, err
}

func (a *machineAction) act(ctx context.Context, m Machines, spec MachineSpec) error {
	switch a.do {
	case "boot":
		return m.Boot(ctx, spec)
	case "kill":
		return m.Kill(spec.Name)
	case "freeze":
		return m.Freeze(spec.Name)
	case "thaw":
		return m.Thaw(spec.Name)
	case "partition":
		return m.Partition(spec.Name)
	default: // heal
		return m.Heal(spec.Name)
	}
}
