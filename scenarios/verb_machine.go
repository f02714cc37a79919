package scenarios

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"go.yaml.in/yaml/v3"
)

var machineVerbs = []string{"boot", "kill", "freeze", "thaw", "partition", "heal"}

var machineVerb = verb{
	name: "machine",
	doc:  "boots a node that has no instance, or kills, freezes or thaws a machine, or cuts it off from the network (partition) or joins it again (heal)",
	schema: map[string]any{
		"type": "object", "additionalProperties": false, "minProperties": 1,
		"properties": map[string]any{
			"boot": stringSchema, "kill": stringSchema, "freeze": stringSchema, "thaw": stringSchema,
			"partition": stringSchema, "heal": stringSchema,
			"labels": labelsSchema, "light": booleanSchema, "initialized": booleanSchema,
			"nodeIPs":    map[string]any{"type": "array", "minItems": 1, "items": stringSchema, "description": "what the kubelet was told with --node-ip"},
			"providerID": map[string]any{"type": "string", "description": "what the Node registers with"},
		},
	},
	parse: parseMachine,
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

func parseMachine(d *decoder) parsed {
	a := &machineAction{}
	return parsed{
		action: a,
		decode: func(n *yaml.Node) {
			fields := []field{
				{"labels", false, func(n *yaml.Node) { readMachineLabels(d, n, a) }},
				{"light", false, d.boolean("light", &a.light)},
				{"nodeIPs", false, func(n *yaml.Node) { readNodeIPs(d, n, a) }},
				{"providerID", false, func(n *yaml.Node) { d.templateText(n, "providerID", &a.providerID) }},
				{"initialized", false, d.boolean("initialized", &a.initialized)},
			}
			for _, name := range machineVerbs {
				fields = append(fields, field{name, false, func(n *yaml.Node) { readMachine(d, n, name, a) }})
			}
			d.object(n, "machine", fields...)
			checkMachine(d, n, a)
		},
		text: func() string { return a.do + " " + a.text },
	}
}

// checkMachine reports keys that do not go together.
func checkMachine(d *decoder, n *yaml.Node, a *machineAction) {
	shaped := len(a.nodeIPs) > 0 || len(a.providerID.Parts) > 0 || a.initialized
	switch {
	case a.do == "":
		d.errorf(n, "machine does not say what to do: one of %s is right", oneOf(machineVerbs))
	case a.do != "boot" && (a.light || a.labels != nil || shaped):
		d.errorf(n, "labels, light, nodeIPs, providerID and initialized go with boot alone")
	case shaped && !a.light:
		d.errorf(n, "nodeIPs, providerID and initialized need light: true, because a real kubelet has no such shapes here")
	}
}

func readMachine(d *decoder, n *yaml.Node, do string, a *machineAction) {
	if a.do != "" {
		d.errorf(n, "machine does one thing: %s and %s are two", a.do, do)
		return
	}
	a.do, a.text = do, resolve(n).Value
	d.templateText(n, do, &a.name)
}

func readMachineLabels(d *decoder, n *yaml.Node, a *machineAction) {
	var labels map[string]string
	d.labels("labels", &labels)(n)
	a.labels = map[string]expr.Template{}
	for key, value := range labels {
		a.labels[key] = d.template(n, value)
	}
}

func readNodeIPs(d *decoder, n *yaml.Node, a *machineAction) {
	d.list(n, "nodeIPs", func(n *yaml.Node) {
		var address expr.Template
		d.templateText(n, "an address", &address)
		a.nodeIPs = append(a.nodeIPs, address)
	})
}

func (a *machineAction) run(ctx context.Context, st *stage) error {
	spec, err := a.expand(st.store.Snapshot())
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
