package strictjson

import (
	"reflect"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/spelling"
)

// unknownField is what the decoder says of a field that the type does not have.
const unknownField = "unknown field"

// FieldsOf is Fields for the decoding of a type: of an unknown field it says which one was probably meant, or else
// which fields there are.
func FieldsOf(t reflect.Type, wrong []error, whole string) []simcloud.FieldError {
	fields := Fields(wrong, whole)
	for i := range fields {
		if fields[i].Detail == unknownField {
			fields[i].Detail += choices(t, fields[i].Field)
		}
	}
	return fields
}

// choices says what could stand in the place of the field that a path leads to.
func choices(t reflect.Type, path string) string {
	keys := strings.Split(path, ".")
	last := len(keys) - 1
	for _, key := range keys[:last] {
		if t = fieldsOf(t)[bare(key)]; t == nil {
			return ""
		}
	}
	have := namesOf(t)
	switch near := spelling.Nearest(keys[last], have); {
	case near != "":
		return ": did you mean " + near + "?"
	case len(have) > 0:
		return " (have " + strings.Join(have, ", ") + ")"
	}
	return ""
}

// bare is a key without the index behind it.
func bare(key string) string {
	name, _, _ := strings.Cut(key, "[")
	return name
}

// fieldsOf are the types of the fields of a struct, or of each one that a list or a map holds, by their names in JSON.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, f := range wireFields(t) {
		all[wireName(f)] = f.Type
	}
	return all
}

// namesOf are the names of these fields, in the order of the source.
func namesOf(t reflect.Type) (names []string) {
	for _, f := range wireFields(t) {
		names = append(names, wireName(f))
	}
	return names
}

func wireFields(t reflect.Type) (fields []reflect.StructField) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() && wireName(f) != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// wireName is the name of a field in JSON; empty for one that has none.
func wireName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.TrimPrefix(name, "-")
}
