package step

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
)

var machineVerb = syntax.Verb{
	Name:   "machine",
	Doc:    "boots a node that has no instance, or kills, freezes or thaws a machine, or cuts it off from the network (partition) or joins it again (heal); in finally a machine to kill may be down already",
	Effect: syntax.Acts,
	Examples: []string{
		"{boot: node-9}", "{kill: node-1}", "{freeze: node-1}", "{thaw: node-1}", "{partition: node-1}", "{heal: node-1}",
	},
	New: func() syntax.Action { return &machineAction{} },
}

type machineAction struct {
	Labels      map[string]expr.Template `yaml:"labels" doc:"those of the Node, with boot"`
	Light       bool                     `yaml:"light" doc:"boot a hollow node, without a kubelet"`
	NodeIPs     []expr.Template          `yaml:"nodeIPs" doc:"what the kubelet was told with --node-ip" item:"an address" empty:"want at least one"`
	ProviderID  expr.Template            `yaml:"providerID" doc:"what the Node registers with"`
	Initialized bool                     `yaml:"initialized" doc:"register without the taint that a CCM removes"`
	Boot        expr.Template            `yaml:"boot" doc:"the name of a machine that no instance runs; where an instance has the name, the machine gets its hostname" alone:"machine does one thing: {first} and {second} are two"`
	Kill        expr.Template            `yaml:"kill" doc:"the name of the machine" alone:"machine does one thing: {first} and {second} are two"`
	Freeze      expr.Template            `yaml:"freeze" doc:"the name of the machine" alone:"machine does one thing: {first} and {second} are two"`
	Thaw        expr.Template            `yaml:"thaw" doc:"the name of the machine" alone:"machine does one thing: {first} and {second} are two"`
	Partition   expr.Template            `yaml:"partition" doc:"the name of the machine" alone:"machine does one thing: {first} and {second} are two"`
	Heal        expr.Template            `yaml:"heal" doc:"the name of the machine" alone:"machine does one thing: {first} and {second} are two"`
	// do is the key that says what to do, name the machine.
	do   string
	name expr.Template
	// tolerant is whether a machine that is down already, or gone, is as good as killed.
	tolerant bool
}

// Check reports keys that do not go together, and lets machines of finally be down.
func (a *machineAction) Check(d *syntax.Decoder, n *yaml.Node) {
	a.tolerant = d.Tolerant
	verbs := []string{"boot", "kill", "freeze", "thaw", "partition", "heal"}
	for i, name := range []expr.Template{a.Boot, a.Kill, a.Freeze, a.Thaw, a.Partition, a.Heal} {
		if syntax.NodeAt(n, verbs[i]) != n {
			a.do, a.name = verbs[i], name
		}
	}
	a.noteMachine(d, n)
	shaped := len(a.NodeIPs) > 0 || len(a.ProviderID.Parts) > 0 || a.Initialized
	switch {
	case a.do == "":
		d.Errorf(n, "machine does not say what to do: want one of %s", syntax.OneOf(verbs))
	case a.do != "boot" && (a.Light || a.Labels != nil || shaped):
		d.Errorf(n, "labels, light, nodeIPs, providerID and initialized go with boot alone")
	case shaped && !a.Light:
		d.Errorf(n, "nodeIPs, providerID and initialized need light: true, because a real kubelet has no such shapes here")
	}
}

// noteMachine reports a machine that no step has made, and takes note of one that this step makes.
func (a *machineAction) noteMachine(d *syntax.Decoder, n *yaml.Node) {
	name := a.name.Source()
	switch {
	case a.do == "":
	case a.do == "boot":
		d.Machines, d.AnyMachine = append(d.Machines, name), d.AnyMachine || !a.name.Constant()
	case a.name.Constant() && !d.AnyMachine && !slices.Contains(d.Machines, name):
		d.Errorf(syntax.NodeAt(n, a.do), "there is no machine %q here%s", name, words.Suggest(name, d.Machines))
	}
}

func (a *machineAction) Text() string { return a.do + " " + a.name.Source() }

func (a *machineAction) run(ctx context.Context, st *Stage) error {
	spec, err := a.expand(st.Store.Snapshot())
	if err == nil {
		err = a.act(ctx, st.Machines, spec)
	}
	if err != nil {
		err = st.missingObject(err, "nodes", spec.Name, a.name.Exprs()...)
		return fmt.Errorf("%s the machine %s: %w", a.do, a.name.Source(), err)
	}
	return nil
}

func (a *machineAction) expand(s *observe.Snapshot) (spec control.Machine, err error) {
	spec = control.Machine{Light: a.Light, Initialized: a.Initialized}
	put := func(t expr.Template) string {
		text, wrong := t.Expand(s)
		if err == nil {
			err = wrong
		}
		return text
	}
	spec.Name, spec.ProviderID = s.NodeName(put(a.name)), put(a.ProviderID)
	for _, address := range a.NodeIPs {
		spec.NodeIPs = append(spec.NodeIPs, put(address))
	}
	for _, key := range slices.Sorted(maps.Keys(a.Labels)) {
		if spec.Labels == nil {
			spec.Labels = map[string]string{}
		}
		spec.Labels[key] = put(a.Labels[key])
	}
	return spec, err
}

func (a *machineAction) act(ctx context.Context, m Machines, spec control.Machine) error {
	switch a.do {
	case "boot":
		return m.Boot(ctx, spec)
	case "kill":
		err := m.Kill(spec.Name)
		if a.tolerant && (errors.Is(err, simcloud.Conflict) || errors.Is(err, simcloud.NotFound)) {
			return nil
		}
		return err
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
