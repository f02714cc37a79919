package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"go.yaml.in/yaml/v3"
)

// decoder reads the nodes of one file and collects what is wrong with them.
type decoder struct {
	origin origin
	// verbs are what steps can do.
	verbs []verb
	// set are the values that were given for parameters.
	set map[string]string
	// using are the files of steps that are being read, by what positions call them.
	using []string
	file  string
	lines []string // of the file, for the columns of block scalars
	errs  LoadError
	expr  *expr.Compiler
	// tolerant is whether a step may find its object gone already: in finally.
	tolerant bool
	// faults are the names of the rules that the steps so far have added.
	faults []string
	// traffics are the names of those that the steps so far have started.
	traffics []string
	// needsPackets is the first verb that needs pods with traffic; nil without any.
	needsPackets *verbAt
	// usesCloudConfig is whether the scenario sets keys of simcloud-ccm's cloud config.
	usesCloudConfig bool
	// delaysCCM is whether the scenario delays what the CCM asks of the cluster.
	delaysCCM bool
}

// verbAt is a verb of a step, and where it stands.
type verbAt struct {
	verb string
	at   Position
}

// field is a key that an object may have.
type field struct {
	name     string
	required bool
	decode   func(*yaml.Node)
}

func (d *decoder) pos(n *yaml.Node) Position {
	return Position{File: d.file, Line: n.Line, Column: n.Column}
}

func (d *decoder) errorf(n *yaml.Node, format string, args ...any) {
	d.errorAt(d.pos(n), format, args...)
}

// errorAt reports a mistake, once: steps that are used twice are read twice.
func (d *decoder) errorAt(p Position, format string, args ...any) {
	mistake := &SyntaxError{Position: p, Message: fmt.Sprintf(format, args...)}
	if !slices.ContainsFunc(d.errs, func(e error) bool { return e.Error() == mistake.Error() }) {
		d.errs = append(d.errs, mistake)
	}
}

// object decodes a mapping that may have these fields and no other.
func (d *decoder) object(n *yaml.Node, what string, fields ...field) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		d.errorf(n, "%s is %s: a mapping with %s is right", what, describe(n), fieldNames(fields))
		return
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == key.Value })
		switch {
		case at < 0:
			d.errorf(key, "%s has no key %q%s: it has %s", what, key.Value, suggest(key.Value, fields), fieldNames(fields))
		case seen[key.Value]:
			d.errorf(key, "%s has the key %q twice", what, key.Value)
		default:
			seen[key.Value] = true
			fields[at].decode(value)
		}
	}
	for _, f := range fields {
		if f.required && !seen[f.name] {
			d.errorf(n, "%s lacks the key %q", what, f.name)
		}
	}
}

func fieldNames(fields []field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}

// suggest returns the field that was probably meant.
func suggest(key string, fields []field) string {
	best, closest := 2+len(key)/4, ""
	for _, f := range fields {
		if d := distance(strings.ToLower(f.name), strings.ToLower(key)); d < best {
			best, closest = d, f.name
		}
	}
	if closest == "" {
		return ""
	}
	return fmt.Sprintf(" (%q?)", closest)
}

// distance is the number of letters to insert, remove or replace to make a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left, diagonal := i+1, row[0]
		row[0] = left
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// list decodes a sequence, each item by each.
func (d *decoder) list(n *yaml.Node, what string, each func(*yaml.Node)) {
	n = resolve(n)
	if n.Kind != yaml.SequenceNode {
		d.errorf(n, "%s is %s: a list is right", what, describe(n))
		return
	}
	for _, item := range n.Content {
		each(item)
	}
}

func (d *decoder) text(what string, into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		n = resolve(n)
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			d.errorf(n, "%s is %s: a text is right", what, describe(n))
			return
		}
		*into = n.Value
	}
}

// word decodes one of a few words.
func (d *decoder) word(what string, into *string, allowed ...string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		before := len(d.errs)
		if d.text(what, into)(n); len(d.errs) > before || slices.Contains(allowed, *into) {
			return
		}
		d.errorf(n, "%s is %q: %s is right", what, *into, oneOf(allowed))
	}
}

func oneOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func (d *decoder) number(what string, into *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		n = resolve(n)
		v, err := strconv.Atoi(n.Value)
		if err != nil || v < 0 || n.Tag != "!!int" {
			d.errorf(n, "%s is %s: a whole number from 0 is right", what, describe(n))
			return
		}
		*into = v
	}
}

func (d *decoder) boolean(what string, into *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n = resolve(n); n.Tag != "!!bool" {
			d.errorf(n, "%s is %s: true or false is right", what, describe(n))
			return
		}
		*into = n.Value == "true"
	}
}

func (d *decoder) duration(what string, into *time.Duration) func(*yaml.Node) {
	return func(n *yaml.Node) {
		n = resolve(n)
		v, err := time.ParseDuration(n.Value)
		if err != nil || v <= 0 {
			d.errorf(n, "%s is %s: a duration such as 500ms, 30s or 1m30s is right", what, describe(n))
			return
		}
		*into = v
	}
}

func (d *decoder) labels(what string, into *map[string]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if err := n.Decode(into); err != nil {
			d.errorf(n, "%s is %s: a mapping of texts is right", what, describe(n))
		}
	}
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func describe(n *yaml.Node) string {
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

// texts decodes a list of at least one text.
func (d *decoder) texts(what string, into *[]string, each func(into *string) func(*yaml.Node)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		d.list(n, what, func(n *yaml.Node) {
			var text string
			each(&text)(n)
			*into = append(*into, text)
		})
		if n = resolve(n); n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			d.errorf(n, "%s is an empty list: at least one is right", what)
		}
	}
}
