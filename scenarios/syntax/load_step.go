package syntax

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// stepList is a list of steps, which are read when all else of the file has been.
type stepList struct {
	at    *yaml.Node // nil when the file has none
	steps []scenarios.Step
}

func (*stepList) Schema() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"$ref": "#/$defs/step"}}
}

func (l *stepList) Read(_ *Decoder, n *yaml.Node, _ string) { l.at = n }

// each reads the items of the list.
func (l *stepList) each(d *Decoder, what string, read func(*yaml.Node)) {
	if l.at != nil {
		d.List(l.at, what, read)
	}
}

// add reads an item as a step, or as the steps that it uses.
func (l *stepList) add(d *Decoder) func(*yaml.Node) {
	return func(n *yaml.Node) { l.steps = append(l.steps, d.steps(n)...) }
}

// notEmpty reports a list without items.
func (l *stepList) notEmpty(d *Decoder) {
	if l.at != nil && len(Resolve(l.at).Content) == 0 {
		d.Errorf(l.at, "steps is empty")
	}
}

// steps decodes a step, or those that it uses.
func (d *Decoder) steps(n *yaml.Node) []scenarios.Step {
	if !d.begins(n) {
		return nil
	}
	if used := ChildOf(n, UseWord); used != nil {
		return d.use(Resolve(n), used)
	}
	return []scenarios.Step{d.step(n)}
}

// reason is what all steps can have, those too that use others.
type reason struct {
	Because string `yaml:"because" doc:"what a CCM must do; it leads the message of a failure"`
}

// stepKeys are the keys that stand beside any verb but use: each of the used steps has its own.
type stepKeys struct {
	reason

	Timeout time.Duration `yaml:"timeout"`
}

// stepKeysOf are the keys of a step that belong to no verb.
func stepKeysOf(verb string) reflect.Type {
	if verb == UseWord {
		return reflect.TypeFor[reason]()
	}
	return reflect.TypeFor[stepKeys]()
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
	if d.emptyTextOf(v, n, node) {
		return s
	}
	action, keys := v.New(), stepKeys{Timeout: scenarios.DefaultStepTimeout}
	d.capturing, _ = action.(Capturing)
	into := reflect.ValueOf(action).Elem()
	right := d.Right(func() {
		beside, late := d.keys(besides(into.Type()), into)
		common, _ := d.keys(fieldsOf(stepKeysOf(v.Name)), reflect.ValueOf(&keys).Elem())
		verb := Field{v.Name, true, func(n *yaml.Node) { d.read(n, v.Name, into) }}
		d.Object(n, "the step "+v.Name, slices.Concat([]Field{verb}, beside, common)...)
		late()
		d.check(node, into)
	})
	s.Because, s.Timeout = strings.Join(strings.Fields(keys.Because), " "), keys.Timeout
	s.Action = action
	if right { // else there may be nothing to tell of
		s.Text = v.Name + " " + oneLine(action.Text())
	}
	return s
}

// emptyTextOf reports a block of text whose lines stand beside the verb and not below it, so that they are keys of the step.
func (d *Decoder) emptyTextOf(v *Verb, step, text *yaml.Node) bool {
	if text.Kind != yaml.ScalarNode || text.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 || text.Value != "" {
		return false
	}
	for i := 0; i < len(step.Content); i += 2 {
		if key := step.Content[i]; key.Value != v.Name && !d.standsBeside(key.Value) {
			d.Errorf(key, "%q is beside %s and not in its text: its lines must be indented further than %q", key.Value, v.Name, v.Name)
			return true
		}
	}
	return false
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
		if !d.standsBeside(key.Value) {
			d.Errorf(key, "there is no verb %q%s: a step has one of %s", key.Value, words.Suggest(key.Value, names), strings.Join(names, ", "))
			return
		}
	}
	d.Errorf(n, "the step has no verb: want one of %s", strings.Join(names, ", "))
}

// standsBeside reports whether a key of a step is one that is no verb.
func (d *Decoder) standsBeside(key string) bool {
	fields := fieldsOf(reflect.TypeFor[stepKeys]())
	for _, v := range d.verbs {
		fields = append(fields, besides(v.fields())...)
	}
	return slices.ContainsFunc(fields, func(f field) bool { return f.key == key })
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
