package syntax

import (
	"maps"
	"reflect"
	"slices"
)

func (f field) schema() map[string]any {
	s := maps.Clone(schemaOf(f.Type, f))
	if doc := f.Tag.Get("doc"); doc != "" {
		s["description"] = doc
	}
	if f.is("settable") {
		return orParameter(s)
	}
	return s
}

// schemaOf describes the values of a type; the tags are those of the field that has them.
func schemaOf(t reflect.Type, f field) map[string]any {
	empty := reflect.New(t).Interface()
	if v, own := empty.(Value); own {
		return v.Schema()
	}
	if w, some := empty.(worded); some {
		return EnumSchema(w.words()...)
	}
	if k, known := kinds[t]; known {
		return k.schema(f)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), f)
	case reflect.Slice:
		return listSchema(t, f)
	default:
		return structSchema(t)
	}
}

func listSchema(t reflect.Type, f field) map[string]any {
	item := schemaOf(t.Elem(), f)
	list := map[string]any{"type": "array", "items": item}
	if f.Tag.Get("empty") != "" {
		list["minItems"] = 1
	}
	if f.is("single") {
		return map[string]any{"oneOf": []any{item, list}}
	}
	return list
}

// structSchema describes what stands in the place of a mapping, and each form of the mapping.
func structSchema(t reflect.Type) map[string]any {
	var all []any
	var fields []field
	forms := []string{}
	for _, f := range fieldsOf(t) {
		switch form := f.Tag.Get("form"); {
		case f.is("beside"):
		case f.is("value"):
			all = append(all, f.schema())
		default:
			fields = append(fields, f)
			if form != "" && !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	if len(forms) == 0 && len(fields) > 0 {
		all = append(all, formSchema("", fields))
	}
	for _, form := range forms {
		all = append(all, formSchema(form, fields))
	}
	if len(all) == 1 {
		return all[0].(map[string]any)
	}
	return map[string]any{"oneOf": all}
}

// formSchema describes one form of a mapping.
func formSchema(form string, fields []field) map[string]any {
	var required []string
	properties := map[string]any{}
	for _, f := range fields {
		if of := f.Tag.Get("form"); of != "" && of != form {
			continue
		}
		properties[f.key] = f.schema()
		if f.is("required") || f.is("needed") || form != "" && f.key == form {
			required = append(required, f.key)
		}
	}
	return ObjectSchema(required, properties)
}
