package syntax

import (
	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// document reads a YAML document: a scenario, one for each value of its matrix, or steps.
func (d *Decoder) document(n *yaml.Node) []*scenarios.Scenario {
	if kind := ChildOf(n, "kind"); kind != nil && kind.Value == KindSteps {
		d.outlineSteps(n)
		return nil
	}
	spec := ChildOf(n, "spec")
	before := len(d.Errs)
	parameters, matrix := d.parameters(spec, true), d.matrix(spec)
	d.distinct(parameters, matrix)
	if len(d.Errs) > before {
		return nil
	}
	var all []*scenarios.Scenario
	for _, chosen := range combinations(matrix) {
		values := d.substitution(parameters, chosen)
		document := values.scenario(n)
		s := d.scenario(document)
		if values.unused(parameters, matrix); len(d.Errs) == before {
			d.choiceLabels(n, s, chosen)
		}
		if len(d.Errs) > before {
			return nil // the others would have the same mistakes
		}
		s.Name, s.Parameters, s.Source = nameWith(s.Base, chosen), valueTexts(parameters, chosen), wholeSource(document, s)
		all = append(all, s)
	}
	return all
}

// wholeSource is the document with used steps in their places.
func wholeSource(document *yaml.Node, s *scenarios.Scenario) *yaml.Node {
	return mapping(document, func(key string, value *yaml.Node) *yaml.Node {
		if key != "spec" {
			return value
		}
		return mapping(value, func(key string, value *yaml.Node) *yaml.Node {
			switch key {
			case "steps":
				return listOf(value, s.Steps)
			case "finally":
				return listOf(value, s.Finally)
			default:
				return value
			}
		})
	})
}

// listOf copies a list with the sources of steps as its items.
func listOf(n *yaml.Node, steps []scenarios.Step) *yaml.Node {
	other := *Resolve(n)
	other.Content = nil
	for _, step := range steps {
		other.Content = append(other.Content, step.Source)
	}
	return &other
}
