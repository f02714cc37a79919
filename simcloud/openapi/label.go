package openapi

import "strings"

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
