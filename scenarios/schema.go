package scenarios

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
)

//go:embed schema.json
var schemaJSON []byte

// SchemaJSON is the JSON schema of scenario files, for editors.
func SchemaJSON() []byte { return schemaJSON }

// makeSchema makes the JSON schema of the table of verbs.
func makeSchema() ([]byte, error) {
	steps := map[string]any{"type": "array", "items": map[string]any{"$ref": "#/$defs/step"}}
	document := objectSchema([]string{"apiVersion", "kind", "metadata", "spec"}, map[string]any{
		"apiVersion": enumSchema(APIVersion),
		"kind":       enumSchema(Kind),
		"metadata": objectSchema([]string{"name"}, map[string]any{
			"name":   map[string]any{"type": "string", "pattern": nameRE.String()},
			"labels": labelsSchema,
		}),
		"spec": objectSchema([]string{"description", "steps"}, map[string]any{
			"description": map[string]any{"type": "string", "description": "which promise of a CCM the scenario checks"},
			"nodes":       map[string]any{"type": "integer", "minimum": 0, "description": "the machines node-1 to node-N that exist when the steps begin"},
			"ccm":         enumSchema("running", "stopped"),
			"timeout":     durationSchema,
			"steps":       steps,
			"finally":     steps,
			"skipOracles": map[string]any{"type": "array", "items": enumSchema(oracleNames()...)},
		}),
	})
	document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	document["title"] = "A scenario of simcloud"
	document["$defs"] = map[string]any{"step": map[string]any{"oneOf": stepSchemas()}}
	raw, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(raw, '\n'), nil
}

// stepSchemas has one schema for each verb.
func stepSchemas() []any {
	var all []any
	for _, v := range verbs() {
		value := maps.Clone(v.schema)
		value["description"] = v.doc
		properties := map[string]any{
			v.name:    value,
			"because": map[string]any{"type": "string", "description": "what a CCM must do; it leads the message of a failure"},
			"timeout": durationSchema,
		}
		maps.Copy(properties, v.siblings)
		all = append(all, objectSchema([]string{v.name}, properties))
	}
	return all
}
