package syntax

import (
	"maps"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// mostCombinations is how many scenarios one matrix may make.
const mostCombinations = 256

// dimension is a name of a matrix, and the values that it has in turn.
type dimension struct {
	name   string
	at     *yaml.Node
	values []choice
}

// choice is one value of a parameter, and what it is called in names of scenarios and for -l.
type choice struct {
	parameter, text string
	value           *yaml.Node
}

// choiceRE is a text that can be a part of a name, of a file and of a label's value.
var choiceRE = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,38}[A-Za-z0-9])?$`)

// scenarioMatrix is spec.matrix.
type scenarioMatrix struct{ declared }

func (scenarioMatrix) Schema() map[string]any {
	return map[string]any{
		"type": "object", "description": "for each name the values that it has in turn: ${name} stands for them",
		"additionalProperties": map[string]any{"oneOf": []any{
			map[string]any{"type": "array", "minItems": 1},
			map[string]any{"type": "object", "minProperties": 1, "description": "values of any kind by the names that reports have for them"},
		}},
	}
}

// matrix reads spec.matrix: for each name a list of plain values, or a mapping
// in which values of any kind have names.
func (d *Decoder) matrix(spec *yaml.Node) []dimension {
	var all []dimension
	scenarios := 1
	d.names(ChildOf(spec, "matrix"), "matrix", func(key, value *yaml.Node) {
		m := dimension{name: key.Value, at: key}
		if text, set := d.set[m.name]; set {
			m.values = d.chosen(key, Resolve(value), text)
		} else {
			m.values = d.choices(key, Resolve(value))
		}
		scenarios *= max(1, len(m.values))
		if scenarios > mostCombinations {
			d.Errorf(key, "the matrix makes more than %d scenarios of one", mostCombinations)
			scenarios = 1
		}
		all = append(all, m)
	})
	return all
}

func (d *Decoder) choices(key, n *yaml.Node) []choice {
	var all []choice
	add := func(text string, at, value *yaml.Node) {
		if !choiceRE.MatchString(text) {
			d.Errorf(at, "%q cannot be a part of a scenario's name: want up to 40 letters, digits, '.', '_' and '-'; "+
				"other values get a name, as in %s: {name: value}", text, key.Value)
			return
		}
		all = append(all, choice{key.Value, text, Resolve(value)})
	}
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			add(n.Content[i].Value, n.Content[i], n.Content[i+1])
		}
	}
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			add(shownValue(item), item, item)
		}
	}
	if len(n.Content) == 0 {
		what := Describe(n)
		if n.Kind != yaml.ScalarNode {
			what = "empty"
		}
		d.Errorf(n, "%s is %s: want a list of values, or a mapping of their names to them", key.Value, what)
	}
	d.differ(key, all)
	return all
}

// differ reports values that cannot be told apart.
func (d *Decoder) differ(key *yaml.Node, all []choice) {
	seen := map[string]bool{}
	for _, c := range all {
		if seen[c.text] {
			d.Errorf(key, "%s has the value %s twice", key.Value, c.text)
		}
		seen[c.text] = true
	}
}

// chosen is the one value of a name of the matrix that was set: one that it
// has, or for a list any other.
func (d *Decoder) chosen(key, n *yaml.Node, text string) []choice {
	all := d.choices(key, n)
	for _, c := range all {
		if c.text == text {
			return []choice{c}
		}
	}
	if n.Kind != yaml.MappingNode && choiceRE.MatchString(text) {
		return []choice{{key.Value, text, d.setValue(key, text)}}
	}
	d.Errorf(key, "%s has no value %q, which is set: want %s", key.Value, text, OneOf(textsOf(all)))
	return nil
}

func textsOf(all []choice) []string {
	names := []string{}
	for _, c := range all {
		names = append(names, c.text)
	}
	if len(names) == 0 {
		return []string{"none"}
	}
	return names
}

// combinations are all ways to choose one value of each dimension; without any there is one way.
func combinations(matrix []dimension) [][]choice {
	ways := [][]choice{nil}
	for _, m := range matrix {
		var longer [][]choice
		for _, way := range ways {
			for _, c := range m.values {
				longer = append(longer, append(way[:len(way):len(way)], c))
			}
		}
		ways = longer
	}
	return ways
}

// nameWith is the name of the scenario for these values, such as lb-retry[code=locked].
func nameWith(base string, chosen []choice) string {
	if len(chosen) == 0 {
		return base
	}
	parts := make([]string, len(chosen))
	for i, c := range chosen {
		parts[i] = c.parameter + "=" + c.text
	}
	return base + "[" + strings.Join(parts, ",") + "]"
}

// valueTexts says what each parameter and each name of the matrix stands for.
func valueTexts(parameters []parameter, chosen []choice) map[string]string {
	if len(parameters)+len(chosen) == 0 {
		return nil
	}
	all := map[string]string{}
	for _, p := range parameters {
		all[p.name] = shownValue(p.value)
	}
	for _, c := range chosen {
		all[c.parameter] = c.text
	}
	return all
}

// choiceLabels adds the values of the matrix to a scenario's labels, for -l.
func (d *Decoder) choiceLabels(n *yaml.Node, s *scenarios.Scenario, chosen []choice) {
	if len(chosen) == 0 {
		return
	}
	labels := maps.Clone(s.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	for _, c := range chosen {
		if _, taken := s.Labels[c.parameter]; taken || c.parameter == "name" {
			d.Errorf(n, "%q is a label of the scenario and a name of its matrix: -l could not tell them apart", c.parameter)
		}
		labels[c.parameter] = c.text
	}
	s.Labels = labels
}
