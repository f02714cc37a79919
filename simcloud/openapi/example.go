package openapi

import (
	"encoding/json"
	"slices"
	"strings"
)

// fill is an example of an object, with its properties in their order.
type fill []struct {
	name  string
	value any
}

// MarshalJSON writes the example as an object.
func (f fill) MarshalJSON() ([]byte, error) {
	var parts []string
	for _, p := range f {
		raw, err := json.Marshal(map[string]any{p.name: p.value})
		if err != nil {
			return nil, err
		}
		parts = append(parts, string(raw[1:len(raw)-1]))
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

// deepest is how far an example goes into its parts.
const deepest = 3

// example is a small value of the schema: of an object what is required, or else the first thing that there is.
func (d *Document) example(s *Schema, depth int) any {
	if name, ok := strings.CutPrefix(s.Ref, schemaPrefix); ok {
		s = d.Components.Schemas[name]
	}
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	switch s.Type {
	case "string":
		return "example"
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "array":
		return []any{d.example(s.Items, depth+1)}
	default:
		return d.exampleObject(s, depth)
	}
}

func (d *Document) exampleObject(s *Schema, depth int) fill {
	object := fill{}
	for i, p := range s.Properties {
		if depth > deepest || len(s.Required) > 0 && !slices.Contains(s.Required, p.Name) || len(s.Required) == 0 && i > 0 {
			continue
		}
		object = append(object, struct {
			name  string
			value any
		}{p.Name, d.example(p.Schema, depth+1)})
	}
	return object
}

// link is the name of the schema that another one leads to; empty when it leads to none.
func link(s *Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Ref != "":
		return strings.TrimPrefix(s.Ref, schemaPrefix)
	case s.Items != nil:
		return link(s.Items)
	}
	if values, ok := s.Additional.(*Schema); ok {
		return link(values)
	}
	return ""
}

// label is the type of a schema in a word or two.
func label(s *Schema) string {
	switch {
	case s.Ref != "":
		return link(s)
	case s.Type == "array":
		return "list of " + label(s.Items)
	case s.Type == "object":
		if values, ok := s.Additional.(*Schema); ok {
			return "map of " + label(values)
		}
	case s.Format != "":
		return s.Format
	case s.Type == "":
		return "any"
	}
	return s.Type
}
