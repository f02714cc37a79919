package syntax

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// Verb is one thing that a step can do. Each is in a file of its own.
type Verb struct {
	Name string
	// Doc says what the verb does, for the schema.
	Doc string
	// Schema describes the verb's value, siblings the keys that may stand beside it.
	Schema   map[string]any
	Siblings map[string]any
	// Packets is whether the verb needs pods with real traffic.
	Packets bool
	Parse   func(d *Decoder) Parsed
}

// Parsed is a verb that reads its step from a file.
type Parsed struct {
	// Action is what the step does when its turn comes, as package step runs it.
	Action any
	// Decode reads the verb's value, siblings the keys that belong to it;
	// finish, when set, checks them together.
	Decode   func(*yaml.Node)
	Siblings []Field
	Finish   func(*yaml.Node)
	// Text says what the step does, in one line.
	Text func() string
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

// The schemas of values that several verbs have.
var (
	StringSchema   = map[string]any{"type": "string"}
	DurationSchema = map[string]any{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$`}
	BooleanSchema  = map[string]any{"type": "boolean"}
	CELSchema      = map[string]any{"type": "string", "description": "a CEL expression"}
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
