package core

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// fieldsThatDiffer returns what differs between two versions of a resource.
func fieldsThatDiffer(a, b map[string]any) []simcloud.FieldChange { return mapsDiffer("", a, b) }

func valuesDiffer(path string, a, b any) []simcloud.FieldChange {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			return mapsDiffer(path, a, b)
		}
	case []any:
		if b, ok := b.([]any); ok {
			return listsDiffer(path, a, b)
		}
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	return []simcloud.FieldChange{{Path: path, Was: a, Is: b}}
}

func mapsDiffer(path string, a, b map[string]any) []simcloud.FieldChange {
	var fields []simcloud.FieldChange
	for _, key := range keysOf(a, b) {
		was, is := a[key], b[key]
		if ofUser(key) {
			was, is = orEmpty(was), orEmpty(is)
		}
		fields = append(fields, valuesDiffer(fieldPath(path, key), was, is)...)
	}
	return fields
}

// keysOf are the keys of either map, in order.
func keysOf(a, b map[string]any) []string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return slices.Sorted(maps.Keys(both))
}

// ofUser reports whether a field has keys that users choose.
func ofUser(field string) bool { return field == "labels" || field == "options" || field == "capacity" }

func orEmpty(v any) any {
	if v == nil {
		return map[string]any{}
	}
	return v
}

// fieldPath leads on to a field, or to an entry of what has keys of the user's.
func fieldPath(path, key string) string {
	switch field := path[strings.LastIndex(path, ".")+1:]; {
	case path == "":
		return key
	case ofUser(field):
		return path + "[" + key + "]"
	default:
		return path + "." + key
	}
}

// listsDiffer compares lists by what identifies their elements, not by position: an element that is added at the
// beginning changes no other. When only the order differs, the list itself is the difference.
func listsDiffer(path string, a, b []any) []simcloud.FieldChange {
	before, after := keyed(a, b)
	var fields []simcloud.FieldChange
	for _, key := range keysOf(before, after) {
		fields = append(fields, valuesDiffer(fmt.Sprintf("%s[%s]", path, strings.TrimLeft(key, " ")), before[key], after[key])...)
	}
	if len(fields) == 0 && !reflect.DeepEqual(a, b) {
		return []simcloud.FieldChange{{Path: path, Was: a, Is: b}}
	}
	return fields
}

// elementKeys are the fields that can identify the elements of a list, the best first. No field stands for elements
// that are texts.
var elementKeys = [][]string{{}, {"destination"}, {"id"}, {"address"}, {"instance"}, {"instance", "port"}, {"name"}, {"port"}}

// keyed returns the elements of two lists by the first key that identifies those of both; by position without one.
func keyed(a, b []any) (before, after map[string]any) {
	for _, key := range elementKeys {
		before, okA := keyedBy(a, key)
		after, okB := keyedBy(b, key)
		if okA && okB {
			return before, after
		}
	}
	return positioned(a), positioned(b)
}

// keyedBy returns the elements of a list by some of their fields, and whether these identify each element.
func keyedBy(list []any, fields []string) (map[string]any, bool) {
	elements := map[string]any{}
	for _, element := range list {
		key, ok := keyOf(element, fields)
		if _, twice := elements[key]; twice || !ok {
			return nil, false
		}
		elements[key] = element
	}
	return elements, true
}

// keyOf returns the values of some fields of an element, or the element itself when it is a text; false when it lacks one.
func keyOf(element any, fields []string) (string, bool) {
	if len(fields) == 0 {
		text, ok := element.(string)
		return text, ok && text != ""
	}
	object, _ := element.(map[string]any)
	parts := make([]string, len(fields))
	for i, field := range fields {
		switch object[field].(type) {
		case string, float64:
			parts[i] = fmt.Sprint(object[field])
		}
		if parts[i] == "" {
			return "", false
		}
	}
	return strings.Join(parts, ":"), true
}

// positioned returns the elements of a list by their positions, padded so that 2 sorts before 10.
func positioned(list []any) map[string]any {
	elements := map[string]any{}
	for i, element := range list {
		elements[fmt.Sprintf("%8d", i)] = element
	}
	return elements
}
