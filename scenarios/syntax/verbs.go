package syntax

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Effect is whether a verb changes what a CCM looks after. The empty one is not valid:
// each verb has to say which it has.
type Effect string

// The effects of verbs.
const (
	Acts     Effect = "acts"
	ReadOnly Effect = "reads only"
)

// Verb is one thing that a step can do, described once: the loader and its mistakes, the
// schema and the README's table come from it. Each, or a family of them, is in a file of its own.
type Verb struct {
	Name string
	// Doc says what the verb does, for the schema and the README.
	Doc string
	// Effect decides what the oracles conclude from a step: what follows on one that acts may be its work.
	Effect Effect
	// Packets is whether the verb needs pods with real traffic.
	Packets bool
	// Examples are values of the verb, for the README.
	Examples []string
	// New makes what a step does, with its defaults: a pointer to a struct whose tags describe what a file can say.
	New func() Action
}

// Action is what a step does.
type Action interface {
	// Text says in one line what the step does.
	Text() string
}

// fields is the struct that describes what a file can say.
func (v Verb) fields() reflect.Type { return reflect.TypeOf(v.New()).Elem() }

// schema describes the verb's value. A mapping of which nothing is required is not empty.
func (v Verb) schema() map[string]any {
	s := maps.Clone(structSchema(v.fields()))
	if s["properties"] != nil && s["required"] == nil {
		s["minProperties"] = 1
	}
	s["description"] = v.Doc
	return s
}

// VerbNames are the names of verbs, in their order.
func VerbNames(verbs []Verb) []string {
	var names []string
	for _, v := range verbs {
		names = append(names, v.Name)
	}
	return names
}

func (d *Decoder) findVerb(name string) *Verb {
	if i := slices.IndexFunc(d.verbs, func(v Verb) bool { return v.Name == name }); i >= 0 {
		return &d.verbs[i]
	}
	return nil
}

// CELFormat is the format of texts that are expressions, by which editors and simcloud's language server find them.
const CELFormat = "cel"

// The schemas of values that several verbs have.
var (
	StringSchema   = map[string]any{"type": "string"}
	DurationSchema = map[string]any{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$`}
	CELSchema      = map[string]any{"type": "string", "format": CELFormat, "description": "a CEL expression"}
	LabelsSchema   = map[string]any{"type": "object", "additionalProperties": StringSchema}
)

// ObjectSchema describes a mapping that has these keys and no other.
func ObjectSchema(required []string, properties map[string]any) map[string]any {
	s := map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// EnumSchema describes one of a few words.
func EnumSchema(words ...string) map[string]any { return map[string]any{"enum": words} }

// OperationNames are the operations of the cloud that end.
func OperationNames() []string {
	var names []string
	for _, e := range simcloud.Endpoints() {
		if !IsStream(e.Operation) {
			names = append(names, e.Operation)
		}
	}
	return names
}

// IsStream reports whether the operation has no end.
func IsStream(operation string) bool {
	return strings.HasPrefix(operation, "Watch")
}
