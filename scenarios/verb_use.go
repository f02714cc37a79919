package scenarios

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const useWord = "use"

// useVerb puts the steps of a file in the place of its own, when the scenario
// is read: nothing is left of it when the scenario runs.
var useVerb = verb{
	name: useWord,
	doc:  "stands for the steps of a file of the kind Steps",
	schema: map[string]any{
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
func (d *decoder) use(step, n *yaml.Node) []Step {
	u := using{}
	before := len(d.errs)
	d.object(step, "the step use",
		field{useWord, true, func(n *yaml.Node) { d.usingKeys(n, &u) }},
		field{"because", false, d.text("because", &u.because)},
	)
	if len(d.errs) > before {
		return nil
	}
	from, raw := d.usedFile(n, u)
	if raw == nil {
		return nil
	}
	steps := d.stepsOf(n, from, raw, u.with)
	for i := range steps {
		steps[i].Via = append(steps[i].Via, d.pos(step))
		if steps[i].Because == "" && u.because != "" {
			steps[i].Because = strings.Join(strings.Fields(u.because), " ")
			steps[i].source = withKey(steps[i].source, "because", u.because)
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
func (d *decoder) usingKeys(n *yaml.Node, u *using) {
	before := len(d.errs)
	d.object(n, useWord,
		field{"file", false, d.text("file", &u.file)},
		field{"name", false, d.text("name", &u.name)},
		field{"with", false, func(n *yaml.Node) {
			d.names(resolve(n), "with", func(key, value *yaml.Node) {
				u.with = append(u.with, parameter{key.Value, key, resolve(value)})
			})
		}},
	)
	if len(d.errs) == before && (u.file == "") == (u.name == "") {
		d.errorf(n, "use has one of file and name")
	}
}

// usedFile reads the file; its text is nil when it cannot be used.
func (d *decoder) usedFile(n *yaml.Node, u using) (origin, []byte) {
	from, err := d.origin.beside(u.file)
	if u.name != "" {
		from, err = stepsOfLibrary(u.name), nil
		if !slices.Contains(namesOfSteps(), u.name) {
			d.errorf(nodeAt(n, "name"), "simcloud brings no steps %q along: %s is right", u.name, oneOf(namesOfSteps()))
			return origin{}, nil
		}
	}
	if err != nil {
		d.errorf(nodeAt(n, "file"), "%v", err)
		return origin{}, nil
	}
	if slices.Contains(d.using, from.shown) {
		d.errorf(n, "%s uses itself: %s", from.shown, strings.Join(append(d.using, from.shown), " → "))
		return origin{}, nil
	}
	raw, err := from.read()
	if err != nil {
		d.errorf(nodeAt(n, "file"), "%v", err)
		return origin{}, nil
	}
	return from, raw
}

// stepsOf reads the steps of a file with the values that are given for its parameters.
func (d *decoder) stepsOf(n *yaml.Node, from origin, raw []byte, given []parameter) (steps []Step) {
	var file stepsFile
	usable := false
	d.inside(from, raw, func() { file, usable = d.readSteps(raw) })
	if !usable || !d.give(n, &file, given) {
		return nil
	}
	d.inside(from, raw, func() {
		values := d.substitution(file.parameters, nil)
		d.list(values.node(file.steps), "steps", func(n *yaml.Node) { steps = append(steps, d.steps(n)...) })
		values.unused(file.parameters, nil)
	})
	return steps
}

// inside lets f read another file: mistakes are told of that one.
func (d *decoder) inside(from origin, raw []byte, f func()) {
	origin, file, lines, using := d.origin, d.file, d.lines, d.using
	defer func() { d.origin, d.file, d.lines, d.using = origin, file, lines, using }()
	d.origin, d.file, d.lines = from, from.shown, strings.Split(string(raw), "\n")
	d.using = append(slices.Clip(using), from.shown)
	f()
}

// give sets the parameters of steps.
func (d *decoder) give(n *yaml.Node, file *stepsFile, given []parameter) bool {
	before := len(d.errs)
	var fields []field
	for _, p := range file.parameters {
		fields = append(fields, field{name: p.name})
	}
	for _, g := range given {
		i := slices.IndexFunc(file.parameters, func(p parameter) bool { return p.name == g.name })
		if i < 0 {
			d.errorf(g.at, "the steps have no parameter %q%s: they have %s", g.name, suggest(g.name, fields), fieldNames(fields))
			continue
		}
		file.parameters[i].value = g.value
	}
	for _, p := range file.parameters {
		if p.value == nil {
			d.errorf(n, "the parameter %q of the steps has no default: with: {%s: …} is right", p.name, p.name)
		}
	}
	return len(d.errs) == before
}
