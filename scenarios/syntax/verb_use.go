package syntax

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// UseWord is the verb that stands for the steps of another file.
const UseWord = "use"

// useVerb puts the steps of a file in the place of its own, when the scenario
// is read: nothing is left of it when the scenario runs.
var useVerb = Verb{
	Name: UseWord,
	Doc:  "stands for the steps of a file of the kind Steps",
	Schema: map[string]any{
		"type": "object", "additionalProperties": false,
		"properties": map[string]any{
			"file": map[string]any{"type": "string", "description": "the file, seen from the folder of this one"},
			"name": map[string]any{"type": "string", "description": "the name of steps that simcloud brings along"},
			"with": map[string]any{"type": "object", "description": "values of the parameters of the steps"},
		},
		"oneOf": []any{map[string]any{"required": []string{"file"}}, map[string]any{"required": []string{"name"}}},
	},
}

// using is what a step that uses others says.
type using struct {
	file, name string
	with       []parameter
	because    string
}

// use returns the steps that a step stands for.
func (d *Decoder) use(step, n *yaml.Node) []scenarios.Step {
	u := using{}
	before := len(d.Errs)
	d.Object(step, "the step use",
		Field{UseWord, true, func(n *yaml.Node) { d.usingKeys(n, &u) }},
		Field{"because", false, d.Text("because", &u.because)},
	)
	if len(d.Errs) > before {
		return nil
	}
	from, raw := d.usedFile(n, u)
	if raw == nil {
		return nil
	}
	steps := d.stepsOf(n, from, raw, u.with)
	for i := range steps {
		steps[i].Via = append(steps[i].Via, d.Pos(step))
		if steps[i].Because == "" && u.because != "" {
			steps[i].Because = strings.Join(strings.Fields(u.because), " ")
			steps[i].Source = withKey(steps[i].Source, "because", u.because)
		}
	}
	return steps
}

// withKey copies a mapping with one key more.
func withKey(n *yaml.Node, key, value string) *yaml.Node {
	other := *n
	other.Content = append(slices.Clip(n.Content),
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value})
	return &other
}

// usingKeys reads what is used, and with which values.
func (d *Decoder) usingKeys(n *yaml.Node, u *using) {
	before := len(d.Errs)
	d.Object(n, UseWord,
		Field{"file", false, d.Text("file", &u.file)},
		Field{"name", false, d.Text("name", &u.name)},
		Field{"with", false, func(n *yaml.Node) {
			d.names(Resolve(n), "with", func(key, value *yaml.Node) {
				u.with = append(u.with, parameter{key.Value, key, Resolve(value)})
			})
		}},
	)
	if len(d.Errs) == before && (u.file == "") == (u.name == "") {
		d.Errorf(n, "use has one of file and name")
	}
}

// usedFile reads the file; its text is nil when it cannot be used.
func (d *Decoder) usedFile(n *yaml.Node, u using) (origin, []byte) {
	from, err := d.origin.beside(u.file)
	if u.name != "" {
		from, err = stepsOfLibrary(u.name), nil
		if !slices.Contains(namesOfSteps(), u.name) {
			d.Errorf(NodeAt(n, "name"), "simcloud brings no steps %q along: %s is right", u.name, OneOf(namesOfSteps()))
			return origin{}, nil
		}
	}
	if err != nil {
		d.Errorf(NodeAt(n, "file"), "%v", err)
		return origin{}, nil
	}
	if slices.Contains(d.using, from.shown) {
		d.Errorf(n, "%s uses itself: %s", from.shown, strings.Join(append(d.using, from.shown), " → "))
		return origin{}, nil
	}
	raw, err := from.read()
	if err != nil {
		d.Errorf(NodeAt(n, "file"), "%v", err)
		return origin{}, nil
	}
	return from, raw
}

// stepsOf reads the steps of a file with the values that are given for its parameters.
func (d *Decoder) stepsOf(n *yaml.Node, from origin, raw []byte, given []parameter) (steps []scenarios.Step) {
	var file stepsFile
	usable := false
	d.inside(from, raw, func() { file, usable = d.readSteps(raw) })
	if !usable || !d.give(n, &file, given) {
		return nil
	}
	d.inside(from, raw, func() {
		values := d.substitution(file.parameters, nil)
		d.List(values.node(file.steps), "steps", func(n *yaml.Node) { steps = append(steps, d.steps(n)...) })
		values.unused(file.parameters, nil)
	})
	return steps
}

// inside lets f read another file: mistakes are told of that one.
func (d *Decoder) inside(from origin, raw []byte, f func()) {
	origin, file, lines, using := d.origin, d.File, d.lines, d.using
	defer func() { d.origin, d.File, d.lines, d.using = origin, file, lines, using }()
	d.origin, d.File, d.lines = from, from.shown, strings.Split(string(raw), "\n")
	d.using = append(slices.Clip(using), from.shown)
	f()
}

// give sets the parameters of steps.
func (d *Decoder) give(n *yaml.Node, file *stepsFile, given []parameter) bool {
	before := len(d.Errs)
	var fields []Field
	for _, p := range file.parameters {
		fields = append(fields, Field{Name: p.name})
	}
	for _, g := range given {
		i := slices.IndexFunc(file.parameters, func(p parameter) bool { return p.name == g.name })
		if i < 0 {
			d.Errorf(g.at, "the steps have no parameter %q%s: they have %s", g.name, Suggest(g.name, fields), fieldNames(fields))
			continue
		}
		file.parameters[i].value = g.value
	}
	for _, p := range file.parameters {
		if p.value == nil {
			d.Errorf(n, "the parameter %q of the steps has no default: with: {%s: …} is right", p.name, p.name)
		}
	}
	return len(d.Errs) == before
}
