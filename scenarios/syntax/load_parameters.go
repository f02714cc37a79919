package syntax

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
)

// parameter is a value that a file declares, so that it can be another one.
// It is put in before the file is understood: wherever ${name} stands, its value is.
type parameter struct {
	name  string
	at    *yaml.Node
	value *yaml.Node // nil: whoever uses the steps must give one
}

// parameterFields are what a file says of a parameter.
type parameterFields struct {
	Default     *yaml.Node `yaml:"default"`
	Description string     `yaml:"description"`
}

// declared is what is read before all else, because it decides what the rest is.
type declared struct{}

func (declared) Read(*Decoder, *yaml.Node, string) {}

// scenarioParameters and stepsParameters are those of a scenario, which all have a default, and those of steps.
type (
	scenarioParameters struct{ declared }
	stepsParameters    struct{ declared }
)

func (scenarioParameters) Schema() map[string]any { return parametersSchema([]string{"default"}) }
func (stepsParameters) Schema() map[string]any    { return parametersSchema(nil) }

func parametersSchema(required []string) map[string]any {
	parameter := structSchema(reflect.TypeFor[parameterFields]())
	if required != nil {
		parameter["required"] = required
	}
	return map[string]any{
		"type": "object", "description": "values that can be others: ${name} stands for them", "additionalProperties": parameter,
	}
}

// parameters reads spec.parameters. Values that are set replace the defaults.
// Those of a scenario must have one: nothing else sets it.
func (d *Decoder) parameters(spec *yaml.Node, needDefault bool) []parameter {
	var all []parameter
	d.names(ChildOf(spec, "parameters"), "parameters", func(key, value *yaml.Node) {
		var said parameterFields
		keys, _ := d.keys(fieldsOf(reflect.TypeFor[parameterFields]()), reflect.ValueOf(&said).Elem())
		keys[0].Required = needDefault
		d.Object(value, "the parameter "+key.Value, keys...)
		p := parameter{name: key.Value, at: key, value: said.Default}
		if text, set := d.set[p.name]; set && needDefault {
			p.value = d.setValue(key, text)
		}
		all = append(all, p)
	})
	return all
}

// names reads a mapping whose keys are names for ${name}.
func (d *Decoder) names(n *yaml.Node, what string, each func(key, value *yaml.Node)) {
	if n == nil {
		return
	}
	if n.Kind != yaml.MappingNode {
		d.Errorf(n, "%s is %s: want a mapping of names", what, Describe(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch problem := parameterNameProblem(key.Value); {
		case problem != "":
			d.Errorf(key, "%s", problem)
		case seen[key.Value]:
			d.Errorf(key, "%s has the key %q twice", what, key.Value)
		default:
			seen[key.Value] = true
			each(key, value)
		}
	}
}

// parameterNameProblem says why ${name} could not stand for a parameter.
func parameterNameProblem(name string) string {
	if m := parameterRE.FindStringSubmatch("${" + name + "}"); m == nil || strings.HasSuffix(name, "_") {
		return fmt.Sprintf("%q cannot be the name of a parameter: want letters, digits, and '_' between them", name)
	}
	if slices.ContainsFunc(expr.Variables, func(v expr.Variable) bool { return v.Name == name }) {
		return fmt.Sprintf("%q is a part of the snapshot: a parameter needs another name", name)
	}
	return ""
}

// setValue reads a value that was given on the command line.
func (d *Decoder) setValue(at *yaml.Node, text string) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil || len(document.Content) != 1 || !d.bounded(&document) {
		d.Errorf(at, "the value %q that is set for %s is no YAML", text, at.Value)
		return nil
	}
	return document.Content[0]
}

// distinct reports names that are a parameter and of the matrix.
func (d *Decoder) distinct(parameters []parameter, matrix []dimension) {
	for _, m := range matrix {
		if slices.ContainsFunc(parameters, func(p parameter) bool { return p.name == m.name }) {
			d.Errorf(m.at, "%q is a parameter too: each name is one of both", m.name)
		}
	}
}

// shownValue is what a value is called in reports.
func shownValue(n *yaml.Node) string {
	if n = Resolve(n); n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return Describe(n)
}
