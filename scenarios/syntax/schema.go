package syntax

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Schema makes the JSON schema of scenario files whose steps have these verbs.
func Schema(verbs []Verb) ([]byte, error) {
	document := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "A scenario of simcloud, or steps that scenarios use",
		"$defs":   map[string]any{"step": stepSchema(append(slices.Clip(verbs), UseVerb())), "parameter": parameterSchema},
		"if":      map[string]any{"properties": map[string]any{"kind": map[string]any{"const": KindSteps}}},
		"then":    structSchema(reflect.TypeFor[stepsDocument]()),
		"else":    structSchema(reflect.TypeFor[scenarioDocument]()),
	}
	raw, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(raw, '\n'), nil
}

// parameterSchema is what can stand for a value of any kind.
var parameterSchema = map[string]any{"type": "string", "pattern": parameterRE.String()}

// stepSchema describes a step by its verb: once an editor sees the verb it has one branch to look at, and its mistakes are
// about that branch. The keys stand above the branches too, where an editor finds them for a step that has no verb yet.
func stepSchema(verbs []Verb) map[string]any {
	keys := map[string]any{}
	var branches, one []any
	for _, v := range verbs {
		branch := verbSchema(v)
		maps.Copy(keys, descriptions(branch["properties"].(map[string]any)))
		has := map[string]any{"required": []string{v.Name}}
		branches = append(branches, map[string]any{"if": has, "then": branch})
		one = append(one, has)
	}
	return map[string]any{
		"type": "object", "properties": keys, "propertyNames": EnumSchema(slices.Sorted(maps.Keys(keys))...),
		"allOf": branches, "oneOf": one,
	}
}

// verbSchema describes the steps of one verb.
func verbSchema(v Verb) map[string]any {
	properties := map[string]any{v.Name: v.schema()}
	for _, f := range append(besides(v.fields()), fieldsOf(stepKeysOf(v.Name))...) {
		properties[f.key] = f.schema()
	}
	return parameterized(ObjectSchema([]string{v.Name}, properties))
}

// descriptions keeps of each property what it is.
func descriptions(properties map[string]any) map[string]any {
	short := map[string]any{}
	for key, property := range properties {
		short[key] = map[string]any{}
		if text := descriptionOf(property.(map[string]any)); text != "" {
			short[key] = map[string]any{"description": text}
		}
	}
	return short
}

// descriptionOf finds the description of a schema, or of one that a parameter can stand for.
func descriptionOf(schema map[string]any) string {
	if forms, either := schema["anyOf"].([]any); either {
		schema = forms[0].(map[string]any)
	}
	text, _ := schema["description"].(string)
	return text
}

// parameterized lets a parameter stand for each value inside of a schema.
func parameterized(schema map[string]any) map[string]any {
	schema = maps.Clone(schema)
	if properties, ok := schema["properties"].(map[string]any); ok {
		properties = maps.Clone(properties)
		for key, value := range properties {
			properties[key] = orParameter(value.(map[string]any))
		}
		schema["properties"] = properties
	}
	if items, ok := schema["items"].(map[string]any); ok {
		schema["items"] = orParameter(items)
	}
	if forms, ok := schema["oneOf"].([]any); ok {
		schema["oneOf"] = parameterizedAll(forms)
	}
	return schema
}

func parameterizedAll(forms []any) []any {
	all := make([]any, len(forms))
	for i, form := range forms {
		all[i] = parameterized(form.(map[string]any))
	}
	return all
}

// orParameter is a schema, or a parameter, which any text without a form of its own can be already.
func orParameter(schema map[string]any) map[string]any {
	if schema["type"] == "string" && schema["pattern"] == nil {
		return schema
	}
	return map[string]any{"anyOf": []any{parameterized(schema), map[string]any{"$ref": "#/$defs/parameter"}}}
}
