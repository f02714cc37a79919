package scenarios

import (
	"regexp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"go.yaml.in/yaml/v3"
)

// nameRE is a DNS label of which a namespace can be made.
var nameRE = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$`)

func (d *decoder) scenario(n *yaml.Node) *Scenario {
	compiler, err := expr.NewCompiler()
	if err != nil {
		d.errorf(n, "%v", err) // a defect of this package, which any test of it shows
		return nil
	}
	d.expr, d.faults, d.traffics, d.needsPackets, d.usesCloudConfig, d.delaysCCM = compiler, nil, nil, nil, false, false
	s := &Scenario{Position: d.pos(n), Timeout: DefaultTimeout, source: n}
	var version, kind string
	d.object(n, "the scenario",
		field{"apiVersion", true, d.word("apiVersion", &version, APIVersion)},
		field{"kind", true, d.word("kind", &kind, Kind)},
		field{"metadata", true, func(n *yaml.Node) { d.metadata(n, s) }},
		field{"spec", true, func(n *yaml.Node) { d.spec(n, s) }},
	)
	return s
}

func (d *decoder) metadata(n *yaml.Node, s *Scenario) {
	d.object(n, "metadata",
		field{"name", true, func(n *yaml.Node) { d.scenarioName(n, s) }},
		field{"labels", false, d.labels("labels", &s.Labels)},
	)
}

func (d *decoder) scenarioName(n *yaml.Node, s *Scenario) {
	before := len(d.errs)
	if d.text("name", &s.Base)(n); len(d.errs) == before && !nameRE.MatchString(s.Base) {
		d.errorf(n, "name is %q: up to 52 small letters, digits and '-' are right, as <area>-<behaviour>", s.Base)
	}
	s.Name = s.Base
}

func (d *decoder) spec(n *yaml.Node, s *Scenario) {
	var steps, finally *yaml.Node
	d.object(n, "spec",
		field{"description", true, d.text("description", &s.Description)},
		field{"nodes", false, d.number("nodes", &s.Nodes)},
		field{"light", false, d.boolean("light", &s.Light)},
		field{"packets", false, d.boolean("packets", &s.Packets)},
		field{"ccm", false, func(n *yaml.Node) { d.specCCM(n, s) }},
		field{"timeout", false, d.duration("timeout", &s.Timeout)},
		field{"parameters", false, func(*yaml.Node) {}}, // read before: they decide what the rest is
		field{"matrix", false, func(*yaml.Node) {}},
		field{"steps", true, func(n *yaml.Node) { steps = n }},
		field{"finally", false, func(n *yaml.Node) { finally = n }},
		field{"skipOracles", false, func(n *yaml.Node) { d.skipOracles(n, s) }},
		field{"budget", false, func(n *yaml.Node) { d.budget(n, s) }},
		field{"capabilities", false, d.capabilities("capabilities", &s.Capabilities)},
	)
	s.Description = strings.TrimSpace(s.Description)
	// Steps come first whatever the order in the file: finally knows what they capture.
	if steps != nil {
		d.list(steps, "steps", func(n *yaml.Node) { s.Steps = append(s.Steps, d.steps(n)...) })
		if len(resolve(steps).Content) == 0 {
			d.errorf(steps, "steps is empty")
		}
	}
	if finally != nil {
		d.tolerant = true
		d.list(finally, "finally", func(n *yaml.Node) { s.Finally = append(s.Finally, d.steps(n)...) })
		d.tolerant = false
	}
	s.UsesCloudConfig, s.DelaysCCM = d.usesCloudConfig, d.delaysCCM
	if verb := d.needsPackets; verb != nil && !s.Packets {
		d.errorAt(verb.at, "%s needs packets: true in the spec, because most backends have no traffic between pods", verb.verb)
	}
}

// specCCM reads how the CCM is when the steps begin: a word, or a mapping with its settings too.
func (d *decoder) specCCM(n *yaml.Node, s *Scenario) {
	state := "running"
	var given settings
	word := d.word("ccm", &state, "running", "stopped")
	if n = resolve(n); n.Kind == yaml.MappingNode {
		d.object(n, "ccm", append([]field{{"state", false, d.word("state", &state, "running", "stopped")}}, d.settingsFields(&given)...)...)
	} else {
		word(n)
	}
	s.CCMStopped, s.settings = state == "stopped", given
}

func (d *decoder) skipOracles(n *yaml.Node, s *Scenario) {
	d.list(n, "skipOracles", func(n *yaml.Node) {
		var name string
		d.word("the name of an oracle", &name, Oracles()...)(n)
		s.SkipOracles = append(s.SkipOracles, name)
	})
}

// steps decodes a step, or those that it uses.
func (d *decoder) steps(n *yaml.Node) []Step {
	if used := childOf(n, useWord); used != nil {
		return d.use(resolve(n), used)
	}
	return []Step{d.step(n)}
}

// step decodes a step: one verb, the keys that belong to the verb, and the keys that all steps have.
func (d *decoder) step(n *yaml.Node) Step {
	n = resolve(n)
	s := Step{Position: d.pos(n), Timeout: DefaultStepTimeout, source: n}
	if n.Kind != yaml.MappingNode {
		d.errorf(n, "a step is %s: a mapping with one of %s is right", describe(n), strings.Join(verbNames(d.verbs), ", "))
		return s
	}
	v, node := d.verbOf(n)
	if v == nil {
		return s
	}
	s.Verb = v.name
	parsed := v.parse(d)
	fields := append([]field{{v.name, true, parsed.decode}}, parsed.siblings...)
	fields = append(fields,
		field{"because", false, d.text("because", &s.Because)},
		field{"timeout", false, d.duration("timeout", &s.Timeout)},
	)
	d.object(n, "the step "+v.name, fields...)
	if parsed.finish != nil {
		parsed.finish(node)
	}
	s.Because = strings.Join(strings.Fields(s.Because), " ")
	s.action = parsed.action
	s.Text = v.name + " " + oneLine(parsed.text())
	return s
}

// verbOf finds the one key of a step that is a verb.
func (d *decoder) verbOf(n *yaml.Node) (found *verb, node *yaml.Node) {
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		v := d.findVerb(key.Value)
		if v == nil {
			continue
		}
		if found != nil {
			d.errorf(key, "a step has one verb: %s and %s are two", found.name, v.name)
			return nil, nil
		}
		found, node = v, n.Content[i+1]
		if v.packets && d.needsPackets == nil {
			d.needsPackets = &verbAt{v.name, d.pos(key)}
		}
	}
	if found == nil {
		d.unknownVerb(n)
	}
	return found, node
}

func (d *decoder) unknownVerb(n *yaml.Node) {
	fields := make([]field, 0, len(verbNames(d.verbs)))
	for _, name := range verbNames(d.verbs) {
		fields = append(fields, field{name: name})
	}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if !slices.Contains([]string{"because", "timeout", "within", "holds", "never"}, key.Value) {
			d.errorf(key, "there is no verb %q%s: a step has one of %s", key.Value, suggest(key.Value, fields), fieldNames(fields))
			return
		}
	}
	d.errorf(n, "the step has no verb: one of %s is right", fieldNames(fields))
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
