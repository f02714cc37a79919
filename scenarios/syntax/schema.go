package syntax

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// Schema makes the JSON schema of scenario files whose steps have these verbs.
func Schema(verbs []Verb) ([]byte, error) {
	steps := map[string]any{"type": "array", "items": map[string]any{"$ref": "#/$defs/step"}}
	scenario := ObjectSchema([]string{"apiVersion", "kind", "metadata", "spec"}, map[string]any{
		"apiVersion": EnumSchema(scenarios.APIVersion),
		"kind":       EnumSchema(scenarios.Kind),
		"metadata": ObjectSchema([]string{"name"}, map[string]any{
			"name":   map[string]any{"type": "string", "pattern": nameRE.String()},
			"labels": LabelsSchema,
		}),
		"spec": ObjectSchema([]string{"description", "steps"}, map[string]any{
			"description": map[string]any{"type": "string", "description": "which promise of a CCM the scenario checks"},
			"nodes":       orParameter(map[string]any{"type": "integer", "minimum": 0, "description": "the machines node-1 to node-N that exist when the steps begin"}),
			"light":       orParameter(map[string]any{"type": "boolean", "description": "they are hollow nodes, without kubelets"}),
			"packets":     map[string]any{"type": "boolean", "description": "it needs pods with real traffic, and is skipped where there is none"},
			"ccm":         orParameter(structSchema(reflect.TypeFor[specCCM]())),
			"timeout":     orParameter(DurationSchema),
			"parameters":  parametersSchema(true),
			"matrix":      matrixSchema,
			"steps":       steps,
			"finally":     steps,
			"skipOracles": map[string]any{"type": "array", "items": EnumSchema(scenarios.Oracles()...)},
			"budget":      budgetSchema(),
			"capabilities": map[string]any{
				"type": "array", "items": EnumSchema(scenarios.CapabilityNames()...), "description": "what a CCM must be able to do for the scenario to apply to it",
			},
		}),
	})
	document := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "A scenario of simcloud, or steps that scenarios use",
		"$defs":   map[string]any{"step": map[string]any{"oneOf": stepSchemas(append(slices.Clip(verbs), UseVerb()))}, "parameter": parameterSchema},
		"if":      map[string]any{"properties": map[string]any{"kind": map[string]any{"const": KindSteps}}},
		"then":    stepsSchema(steps),
		"else":    scenario,
	}
	raw, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(raw, '\n'), nil
}

// parameterSchema is what can stand for a value of any kind.
var parameterSchema = map[string]any{"type": "string", "pattern": parameterRE.String()}

var matrixSchema = map[string]any{
	"type": "object", "description": "for each name the values that it has in turn: ${name} stands for them",
	"additionalProperties": map[string]any{"oneOf": []any{
		map[string]any{"type": "array", "minItems": 1},
		map[string]any{"type": "object", "minProperties": 1, "description": "values of any kind by the names that reports have for them"},
	}},
}

func parametersSchema(needDefault bool) map[string]any {
	var required []string
	if needDefault {
		required = []string{"default"}
	}
	return map[string]any{
		"type": "object", "description": "values that can be others: ${name} stands for them",
		"additionalProperties": ObjectSchema(required, map[string]any{"default": map[string]any{}, "description": StringSchema}),
	}
}

// stepsSchema describes a file of steps.
func stepsSchema(steps map[string]any) map[string]any {
	return ObjectSchema([]string{"apiVersion", "kind", "metadata", "spec"}, map[string]any{
		"apiVersion": EnumSchema(scenarios.APIVersion),
		"kind":       EnumSchema(KindSteps),
		"metadata":   ObjectSchema([]string{"name"}, map[string]any{"name": StringSchema}),
		"spec": ObjectSchema([]string{"description", "steps"}, map[string]any{
			"description": StringSchema, "parameters": parametersSchema(false), "steps": steps,
		}),
	})
}

// stepSchemas has one schema for each verb.
func stepSchemas(verbs []Verb) []any {
	var all []any
	for _, v := range verbs {
		properties := map[string]any{
			v.Name:    v.schema(),
			"because": map[string]any{"type": "string", "description": "what a CCM must do; it leads the message of a failure"},
		}
		if v.Name != UseWord { // each of the used steps has its own
			properties["timeout"] = DurationSchema
		}
		for _, f := range besides(v.fields()) {
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
