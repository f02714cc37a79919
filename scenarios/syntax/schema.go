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
		"$defs":   map[string]any{"step": map[string]any{"oneOf": stepSchemas(append(slices.Clip(verbs), UseVerb()))}, "parameter": parameterSchema},
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

// stepSchemas has one schema for each verb.
func stepSchemas(verbs []Verb) []any {
	var all []any
	for _, v := range verbs {
		properties := map[string]any{v.Name: v.schema()}
		for _, f := range append(besides(v.fields()), fieldsOf(stepKeysOf(v.Name))...) {
			properties[f.key] = f.schema()
		}
		all = append(all, parameterized(ObjectSchema([]string{v.Name}, properties)))
	}
	return all
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
