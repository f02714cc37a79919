package openapi

import (
	"bytes"
	"encoding/json"
)

// Schema is a schema of JSON Schema 2020-12.
type Schema struct {
	Ref         string     `json:"$ref,omitempty"`
	Description string     `json:"description,omitempty"`
	Type        string     `json:"type,omitempty"`
	Format      string     `json:"format,omitempty"`
	Pattern     string     `json:"pattern,omitempty"`
	Enum        []string   `json:"enum,omitempty"`
	Minimum     *float64   `json:"minimum,omitempty"`
	Items       *Schema    `json:"items,omitempty"`
	Properties  Properties `json:"properties,omitzero"`
	Required    []string   `json:"required,omitempty"`
	// Additional is false, or the schema of properties that have no name here.
	Additional    any     `json:"additionalProperties,omitempty"`
	PropertyNames *Schema `json:"propertyNames,omitempty"`
	Examples      []any   `json:"examples,omitempty"`
}

// Properties are the properties of an object, in the order in which they are written.
type Properties []Property

// Property is one property of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// MarshalJSON writes the properties as an object.
func (p Properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, property := range p {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(property.Name)
		if err != nil {
			return nil, err
		}
		schema, err := json.Marshal(property.Schema)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(schema)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// with returns a copy of the schema that has a description of its own.
func (s *Schema) with(description string) *Schema {
	if description == "" {
		return s
	}
	described := *s
	described.Description = description
	return &described
}
