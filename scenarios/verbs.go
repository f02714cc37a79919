package scenarios

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// verb is one thing that a step can do. Each is in a file of its own.
type verb struct {
	name string
	// doc says what the verb does, for the schema.
	doc string
	// schema describes the verb's value, siblings the keys that may stand beside it.
	schema   map[string]any
	siblings map[string]any
	// packets is whether the verb needs pods with real traffic.
	packets bool
	parse   func(d *decoder) parsed
}

// parsed is a verb that reads its step from a file.
type parsed struct {
	// action is what the step does when its turn comes, as package step runs it.
	action any
	// decode reads the verb's value, siblings the keys that belong to it;
	// finish, when set, checks them together.
	decode   func(*yaml.Node)
	siblings []field
	finish   func(*yaml.Node)
	// text says what the step does, in one line.
	text func() string
}

// verbNames are the names of verbs, in their order.
func verbNames(verbs []verb) []string {
	var names []string
	for _, v := range verbs {
		names = append(names, v.name)
	}
	return names
}

func (d *decoder) findVerb(name string) *verb {
	if i := slices.IndexFunc(d.verbs, func(v verb) bool { return v.name == name }); i >= 0 {
		return &d.verbs[i]
	}
	return nil
}

// The schemas of values that several verbs have.
var (
	stringSchema   = map[string]any{"type": "string"}
	durationSchema = map[string]any{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$`}
	booleanSchema  = map[string]any{"type": "boolean"}
	celSchema      = map[string]any{"type": "string", "description": "a CEL expression"}
	labelsSchema   = map[string]any{"type": "object", "additionalProperties": stringSchema}
)

func objectSchema(required []string, properties map[string]any) map[string]any {
	s := map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func enumSchema(words ...string) map[string]any { return map[string]any{"enum": words} }
