package language

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// schema is a part of the JSON schema of scenario files.
type schema map[string]any

// root is the whole schema. It is made by this repository, and a test holds it to what it is made from.
var root = sync.OnceValue(func() schema {
	var s schema
	if err := json.Unmarshal(scenarios.SchemaJSON(), &s); err != nil {
		panic(fmt.Sprintf("the schema of scenarios: %v", err))
	}
	return s
})

// schemasAt are the schemas of what can stand where the path of a place leads.
func (p place) schemasAt() []schema {
	around := p.mappings() // the outermost last
	document := p.keys
	if len(p.above) > 0 {
		document = p.above[len(p.above)-1]
	}
	all := []schema{root().part("else")}
	if document["kind"] == syntax.KindSteps {
		all = []schema{root().part("then")}
	}
	for _, step := range p.path {
		keys := []string{step}
		if step != item && len(around) > 0 {
			keys = slices.AppendSeq(keys, maps.Keys(around[len(around)-1]))
			around = around[:len(around)-1]
		}
		all = into(expandAll(all, keys), step)
	}
	return expandAll(all, slices.Collect(maps.Keys(p.keys)))
}

func expandAll(all []schema, keys []string) (found []schema) {
	for _, s := range all {
		found = append(found, s.expand(keys)...)
	}
	return found
}

// mappings are those that hold the keys of the path, the outermost last.
func (p place) mappings() []map[string]string {
	if p.inKey {
		return p.above
	}
	return append([]map[string]string{p.keys}, p.above...)
}

// into follows a key, or into a list.
func into(all []schema, step string) (found []schema) {
	for _, s := range all {
		next := s.part("items")
		if step != item {
			if next = s.part("properties").part(step); next == nil {
				next = s.part("additionalProperties")
			}
		}
		if next != nil {
			found = append(found, next)
		}
	}
	return found
}

// part is a schema in a schema; nil when it has none of the name.
func (s schema) part(name string) schema {
	part, _ := s[name].(map[string]any)
	return part
}

// expand resolves a schema to those that can hold in its place, of which none has alternatives, by the keys that are there.
func (s schema) expand(keys []string) []schema {
	if s["$ref"] == "#/$defs/step" {
		s = root().part("$defs").part("step")
	} else if s["$ref"] != nil {
		return nil // a parameter
	}
	if branches := s.branches(keys); len(branches) > 0 {
		return expandAll(branches, keys) // as those of a verb
	}
	found := []schema{s}
	for _, form := range slices.Concat(s.list("anyOf"), s.list("oneOf")) {
		if form.part("properties") != nil || form["required"] == nil {
			found = append(found, form.expand(keys)...)
		}
	}
	return found
}

// branches are those whose condition the keys meet.
func (s schema) branches(keys []string) (met []schema) {
	for _, branch := range s.list("allOf") {
		needed, _ := branch.part("if")["required"].([]any)
		if slices.ContainsFunc(needed, func(key any) bool { return slices.Contains(keys, key.(string)) }) {
			met = append(met, branch.part("then"))
		}
	}
	return met
}

func (s schema) list(name string) (all []schema) {
	items, _ := s[name].([]any)
	for _, i := range items {
		all = append(all, i.(map[string]any))
	}
	return all
}

// words are the texts that a value of the schema can be; none when it can be any.
func (s schema) words() (words []string) {
	some, _ := s["enum"].([]any)
	for _, word := range some {
		words = append(words, fmt.Sprint(word))
	}
	if s["type"] == "boolean" {
		words = append(words, "true", "false")
	}
	return words
}

// description says what the value is.
func (s schema) description() string {
	for _, form := range append([]schema{s}, s.list("anyOf")...) {
		if text, ok := form["description"].(string); ok {
			return text
		}
	}
	return ""
}

func (s schema) isExpression() bool { return s["format"] == syntax.CELFormat }
