package syntax

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
)

// nameRE is a DNS label of which a namespace can be made.
var nameRE = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$`)

func (d *Decoder) scenario(n *yaml.Node) *scenarios.Scenario {
	compiler, err := expr.NewCompiler()
	if err != nil {
		d.Errorf(n, "%v", err) // a defect of this package, which any test of it shows
		return nil
	}
	d.Expr, d.Faults, d.Traffics, d.needsPackets, d.usesCloudConfig, d.DelaysCCM = compiler, nil, nil, nil, false, false
	s := &scenarios.Scenario{Position: d.Pos(n), Timeout: scenarios.DefaultTimeout, Source: n}
	var version, kind string
	d.Object(n, "the scenario",
		Field{"apiVersion", true, d.Word("apiVersion", &version, scenarios.APIVersion)},
		Field{"kind", true, d.Word("kind", &kind, scenarios.Kind)},
		Field{"metadata", true, func(n *yaml.Node) { d.metadata(n, s) }},
		Field{"spec", true, func(n *yaml.Node) { d.spec(n, s) }},
	)
	return s
}

func (d *Decoder) metadata(n *yaml.Node, s *scenarios.Scenario) {
	d.Object(n, "metadata",
		Field{"name", true, func(n *yaml.Node) { d.scenarioName(n, s) }},
		Field{"labels", false, func(n *yaml.Node) { s.Labels = d.Labels(n, "labels") }},
	)
}

func (d *Decoder) scenarioName(n *yaml.Node, s *scenarios.Scenario) {
	name, ok := d.ReadText(n, "name")
	if ok && !nameRE.MatchString(name) {
		d.Errorf(n, "name is %q: want up to 52 small letters, digits and '-', as <area>-<behaviour>", name)
	}
	s.Base, s.Name = name, name
}

func (d *Decoder) spec(n *yaml.Node, s *scenarios.Scenario) {
	var steps, finally *yaml.Node
	var ccm specCCM
	d.Object(n, "spec",
		Field{"description", true, d.Text("description", &s.Description)},
		Field{"nodes", false, d.Number("nodes", &s.Nodes)},
		Field{"light", false, d.Boolean("light", &s.Light)},
		Field{"packets", false, d.Boolean("packets", &s.Packets)},
		Field{"ccm", false, func(n *yaml.Node) { d.read(n, "ccm", reflect.ValueOf(&ccm).Elem()) }},
		Field{"timeout", false, d.Duration("timeout", &s.Timeout)},
		Field{"parameters", false, func(*yaml.Node) {}}, // read before: they decide what the rest is
		Field{"matrix", false, func(*yaml.Node) {}},
		Field{"steps", true, func(n *yaml.Node) { steps = n }},
		Field{"finally", false, func(n *yaml.Node) { finally = n }},
		Field{"skipOracles", false, func(n *yaml.Node) { d.skipOracles(n, s) }},
		Field{"budget", false, func(n *yaml.Node) { d.budget(n, s) }},
		Field{"capabilities", false, d.capabilities("capabilities", &s.Capabilities)},
	)
	s.Description = strings.TrimSpace(s.Description)
	s.CCMStopped, s.Settings = ccm.Word == "stopped" || ccm.State == "stopped", ccm.Settings
	// Steps come first whatever the order in the file: finally knows what they capture.
	if steps != nil {
		d.List(steps, "steps", func(n *yaml.Node) { s.Steps = append(s.Steps, d.steps(n)...) })
		if len(Resolve(steps).Content) == 0 {
			d.Errorf(steps, "steps is empty")
		}
	}
	if finally != nil {
		d.Tolerant = true
		d.List(finally, "finally", func(n *yaml.Node) { s.Finally = append(s.Finally, d.steps(n)...) })
		d.Tolerant = false
	}
	s.UsesCloudConfig, s.DelaysCCM = d.usesCloudConfig, d.DelaysCCM
	if verb := d.needsPackets; verb != nil && !s.Packets {
		d.ErrorAt(verb.at, "%s needs packets: true in the spec, because most backends have no traffic between pods", verb.verb)
	}
}

// specCCM is how the CCM is when the steps begin: a word, or a mapping with its settings too.
type specCCM struct {
	Word  string `yaml:",value" enum:"running,stopped"`
	State string `yaml:"state" enum:"running,stopped"`
	Settings
}

func (d *Decoder) skipOracles(n *yaml.Node, s *scenarios.Scenario) {
	d.List(n, "skipOracles", func(n *yaml.Node) {
		var name string
		d.Word("the name of an oracle", &name, scenarios.Oracles()...)(n)
		s.SkipOracles = append(s.SkipOracles, name)
	})
}

// steps decodes a step, or those that it uses.
func (d *Decoder) steps(n *yaml.Node) []scenarios.Step {
	if used := ChildOf(n, UseWord); used != nil {
		return d.use(Resolve(n), used)
	}
	return []scenarios.Step{d.step(n)}
}

// step decodes a step: one verb, the keys that belong to the verb, and the keys that all steps have.
func (d *Decoder) step(n *yaml.Node) scenarios.Step {
	n = Resolve(n)
	s := scenarios.Step{Position: d.Pos(n), Timeout: scenarios.DefaultStepTimeout, Source: n}
	if n.Kind != yaml.MappingNode {
		d.Errorf(n, "a step is %s: want a mapping with one of %s", Describe(n), strings.Join(VerbNames(d.verbs), ", "))
		return s
	}
	v, node := d.verbOf(n)
	if v == nil {
		return s
	}
	s.Verb = v.Name
	action := v.New()
	into := reflect.ValueOf(action).Elem()
	right := d.Right(func() {
		beside, late := d.keys(besides(into.Type()), into)
		d.Object(n, "the step "+v.Name, slices.Concat(
			[]Field{{v.Name, true, func(n *yaml.Node) { d.read(n, v.Name, into) }}}, beside,
			[]Field{{"because", false, d.Text("because", &s.Because)}, {"timeout", false, d.Duration("timeout", &s.Timeout)}},
		)...)
		late()
		d.check(node, into)
	})
	s.Because = strings.Join(strings.Fields(s.Because), " ")
	s.Action = action
	if right { // else there may be nothing to tell of
		s.Text = v.Name + " " + oneLine(action.Text())
	}
	return s
}

// verbOf finds the one key of a step that is a verb.
func (d *Decoder) verbOf(n *yaml.Node) (found *Verb, node *yaml.Node) {
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		v := d.findVerb(key.Value)
		if v == nil {
			continue
		}
		if found != nil {
			d.Errorf(key, "a step has one verb: %s and %s are two", found.Name, v.Name)
			return nil, nil
		}
		found, node = v, n.Content[i+1]
		if v.Packets && d.needsPackets == nil {
			d.needsPackets = &verbAt{v.Name, d.Pos(key)}
		}
	}
	if found == nil {
		d.unknownVerb(n)
	}
	return found, node
}

func (d *Decoder) unknownVerb(n *yaml.Node) {
	names := VerbNames(d.verbs)
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if !slices.Contains([]string{"because", "timeout", "within", "holds", "never"}, key.Value) {
			d.Errorf(key, "there is no verb %q%s: a step has one of %s", key.Value, Suggest(key.Value, names), strings.Join(names, ", "))
			return
		}
	}
	d.Errorf(n, "the step has no verb: want one of %s", strings.Join(names, ", "))
}

// oneLine shortens a text to what fits a line of progress.
func oneLine(text string) string {
	const most = 100
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
