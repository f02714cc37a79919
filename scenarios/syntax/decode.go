package syntax

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud/yamlpath"
)

// Decoder reads the nodes of one file and collects what is wrong with them.
type Decoder struct {
	origin origin
	// verbs are what steps can do.
	verbs []Verb
	// set are the values that were given for parameters.
	set map[string]string
	// stopped is why reading is to end; nil: never.
	stopped func() error
	counted counted
	// using are the files of steps that are being read, by what positions call them.
	using []string
	File  string
	lines []string // of the file, for the columns of block scalars
	Errs  scenarios.LoadError
	// mistakes counts them, those too that are in Errs already.
	mistakes int
	Expr     *expr.Compiler
	// capturing is the action that is read, if it is known what its answer has.
	capturing Capturing
	// Tolerant is whether a step may find its object gone already: in finally.
	Tolerant bool
	// Faults are the names of the rules that the steps so far have added.
	Faults []string
	// Machines are the names of those that the steps so far know, and AnyMachine is whether there may be others.
	Machines   []string
	AnyMachine bool
	// Traffics are the names of those that the steps so far have started.
	Traffics []string
	// needsPackets is the first verb that needs pods with traffic; nil without any.
	needsPackets *verbAt
	// usesCloudConfig is whether the scenario sets keys of simcloud-ccm's cloud config.
	usesCloudConfig bool
	// DelaysCCM is whether the scenario delays what the CCM asks of the cluster.
	DelaysCCM bool
	// LagsAPI is whether the scenario lets the API server show the CCM what is old.
	LagsAPI bool
}

// verbAt is a verb of a step, and where it stands.
type verbAt struct {
	verb string
	at   scenarios.Position
}

// Field is a key that an object may have.
type Field struct {
	Name     string
	Required bool
	Decode   func(*yaml.Node)
}

// Pos is where a node is in its file.
func (d *Decoder) Pos(n *yaml.Node) scenarios.Position {
	return scenarios.Position{File: d.File, Line: n.Line, Column: n.Column}
}

// Errorf reports a mistake at a node.
func (d *Decoder) Errorf(n *yaml.Node, format string, args ...any) {
	d.ErrorAt(d.Pos(n), format, args...)
}

// ErrorAt reports a mistake, once: steps that are used twice are read twice.
func (d *Decoder) ErrorAt(p scenarios.Position, format string, args ...any) {
	d.mistakes++
	mistake := &scenarios.SyntaxError{Position: p, Message: fmt.Sprintf(format, args...)}
	if !slices.ContainsFunc(d.Errs, func(e error) bool { return e.Error() == mistake.Error() }) {
		d.Errs = append(d.Errs, mistake)
	}
}

// Object decodes a mapping that may have these fields and no other.
func (d *Decoder) Object(n *yaml.Node, what string, fields ...Field) {
	n = Resolve(n)
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	if n.Kind != yaml.MappingNode {
		d.Errorf(n, "%s is %s: want a mapping with %s", what, Describe(n), strings.Join(names, ", "))
		return
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := slices.Index(names, key.Value)
		switch {
		case at < 0:
			d.Errorf(key, "%s has no key %q%s: it has %s", what, key.Value, words.Suggest(key.Value, names), strings.Join(names, ", "))
		case seen[key.Value]:
			d.Errorf(key, "%s has the key %q twice", what, key.Value)
		default:
			seen[key.Value] = true
			fields[at].Decode(value)
		}
	}
	for _, f := range fields {
		if f.Required && !seen[f.Name] {
			d.Errorf(n, "%s lacks the key %q", what, f.Name)
		}
	}
}

// List decodes a sequence, each item by each.
func (d *Decoder) List(n *yaml.Node, what string, each func(*yaml.Node)) {
	n = Resolve(n)
	if n.Kind != yaml.SequenceNode {
		d.Errorf(n, "%s is %s: want a list", what, Describe(n))
		return
	}
	for _, item := range n.Content {
		each(item)
	}
}

// ReadText reads a text, unless there is none; what names it in mistakes.
func (d *Decoder) ReadText(n *yaml.Node, what string) (text string, ok bool) {
	ok = d.Right(func() { d.Text(what, &text)(n) })
	return text, ok
}

// ReadWord reads one of a few words.
func (d *Decoder) ReadWord(n *yaml.Node, what string, into *string, allowed ...string) {
	d.Word(what, into, allowed...)(n)
}

// Right reports whether there was no mistake in what f reads.
func (d *Decoder) Right(f func()) bool {
	before := d.mistakes
	f()
	return d.mistakes == before
}

// Text decodes a text; what names it in mistakes.
func (d *Decoder) Text(what string, into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		n = Resolve(n)
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			d.Errorf(n, "%s is %s: want a text", what, Describe(n))
			return
		}
		*into = n.Value
	}
}

// Word decodes one of a few words, or any where there are none.
func (d *Decoder) Word(what string, into *string, allowed ...string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		text, ok := d.ReadText(n, what)
		if *into = text; ok && len(allowed) > 0 && !slices.Contains(allowed, text) {
			d.Errorf(n, "%s is %q: want %s", what, text, OneOf(allowed))
		}
	}
}

// OneOf joins words for a mistake: "a, b or c".
func OneOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// Number decodes a whole number from 0.
func (d *Decoder) Number(what string, into *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		n = Resolve(n)
		v, err := strconv.Atoi(n.Value)
		if err != nil || v < 0 || n.Tag != "!!int" {
			d.Errorf(n, "%s is %s: want a whole number from 0", what, Describe(n))
			return
		}
		*into = v
	}
}

// Boolean decodes true or false.
func (d *Decoder) Boolean(what string, into *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n = Resolve(n); n.Tag != "!!bool" {
			d.Errorf(n, "%s is %s: want true or false", what, Describe(n))
			return
		}
		*into = n.Value == "true"
	}
}

// Duration decodes a duration above 0.
func (d *Decoder) Duration(what string, into *time.Duration) func(*yaml.Node) {
	return func(n *yaml.Node) {
		n = Resolve(n)
		v, err := time.ParseDuration(n.Value)
		if err != nil || v <= 0 {
			d.Errorf(n, "%s is %s: want a duration such as 500ms, 30s or 1m30s", what, Describe(n))
			return
		}
		*into = v
	}
}

// Labels reads a mapping of texts.
func (d *Decoder) Labels(n *yaml.Node, what string) map[string]string {
	var labels map[string]string
	if err := n.Decode(&labels); err != nil {
		d.Errorf(n, "%s is %s: want a mapping of texts", what, Describe(n))
	}
	return labels
}

// LabelTemplates reads a mapping of texts with ${expression} in them.
func (d *Decoder) LabelTemplates(n *yaml.Node, what string, into *map[string]expr.Template) {
	labels := d.Labels(n, what)
	*into = map[string]expr.Template{}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		(*into)[key] = d.Template(n, labels[key])
	}
}

// Resolve follows an alias to what it stands for.
func Resolve(n *yaml.Node) *yaml.Node { return yamlpath.Resolve(n) }

// Describe says in a mistake what a node is.
func Describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "empty"
	default:
		return strconv.Quote(n.Value)
	}
}
