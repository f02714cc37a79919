package syntax

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// UseWord is the verb that stands for the steps of another file.
const UseWord = "use"

// UseVerb puts the steps of a file in the place of its own, when the scenario
// is read: nothing is left of it when the scenario runs, so it has no effect of its own.
func UseVerb() Verb {
	return Verb{
		Name:     UseWord,
		Doc:      "stands for the steps of a file of the kind Steps",
		Examples: []string{"{file: more/steps.yaml, with: {name: web}}", "{name: nodes-initialised, with: {within: 10s}}"},
		New:      func() Action { return &using{} },
	}
}

// using is what a step that uses others says.
type using struct {
	File string `yaml:"file" form:"file" doc:"the file, seen from the folder of this one"`
	Name string `yaml:"name" form:"name" doc:"the name of steps that simcloud includes"`
	With givens `yaml:"with" doc:"values of the parameters of the steps"`
}

// givens are the values that a step gives to parameters.
type givens []parameter

func (*givens) Schema() map[string]any { return map[string]any{"type": "object"} }

func (g *givens) Read(d *Decoder, n *yaml.Node, what string) {
	d.names(Resolve(n), what, func(key, value *yaml.Node) {
		*g = append(*g, parameter{key.Value, key, Resolve(value)})
	})
}

func (u *using) Text() string { return cmp.Or(u.File, u.Name) }

// use returns the steps that a step stands for.
func (d *Decoder) use(step, n *yaml.Node) []scenarios.Step {
	var u using
	var why reason
	if !d.Right(func() {
		keys, _ := d.keys(fieldsOf(stepKeysOf(UseWord)), reflect.ValueOf(&why).Elem())
		verb := Field{UseWord, true, func(n *yaml.Node) { d.usingKeys(n, &u) }}
		d.Object(step, "the step use", append([]Field{verb}, keys...)...)
	}) {
		return nil
	}
	from, raw := d.usedFile(n, u)
	if raw == nil {
		return nil
	}
	steps := d.stepsOf(n, from, raw, u.With)
	for i := range steps {
		steps[i].Via = append(steps[i].Via, d.Pos(step))
		if steps[i].Because == "" && why.Because != "" {
			steps[i].Because = strings.Join(strings.Fields(why.Because), " ")
			steps[i].Source = withKey(steps[i].Source, "because", why.Because)
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
	if d.Right(func() { d.read(n, UseWord, reflect.ValueOf(u).Elem()) }) && (u.File == "") == (u.Name == "") {
		d.Errorf(n, "use has one of file and name")
	}
}

// usedFile reads the file; its text is nil when it cannot be used.
func (d *Decoder) usedFile(n *yaml.Node, u using) (origin, []byte) {
	from, err := d.origin.beside(u.File)
	if u.Name != "" {
		from, err = stepsOfLibrary(u.Name), nil
		if !slices.Contains(namesOfSteps(), u.Name) {
			d.Errorf(NodeAt(n, "name"), "simcloud includes no steps %q: want %s", u.Name, OneOf(namesOfSteps()))
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
	if !d.reads(n, raw) {
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
		if !d.counted.over {
			values.unused(file.parameters, nil)
		}
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
	before := d.mistakes
	var names []string
	for _, p := range file.parameters {
		names = append(names, p.name)
	}
	for _, g := range given {
		i := slices.IndexFunc(file.parameters, func(p parameter) bool { return p.name == g.name })
		if i < 0 {
			d.Errorf(g.at, "the steps have no parameter %q%s: they have %s", g.name, words.Suggest(g.name, names), strings.Join(names, ", "))
			continue
		}
		if !d.bounded(g.value) {
			return false
		}
		file.parameters[i].value = g.value
	}
	for _, p := range file.parameters {
		if p.value == nil {
			d.Errorf(n, "the parameter %q of the steps has no default: want with: {%s: …}", p.name, p.name)
		}
	}
	return d.mistakes == before
}
