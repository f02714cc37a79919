package fields_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// A body is what JSON has: maps, lists, texts, numbers, booleans and null.

// put returns a body that is like another but for the value at a path. What is missing on the way there is added.
func put(body any, path string, value any) any {
	if path == "" {
		return value
	}
	name, rest, _ := strings.Cut(path, ".")
	own, listed := strings.CutSuffix(name, "[]")
	out := map[string]any{}
	old, _ := body.(map[string]any)
	for k, v := range old {
		out[k] = v
	}
	if !listed {
		out[own] = put(out[own], rest, value)
		return out
	}
	list, _ := out[own].([]any)
	list = append([]any{}, list...)
	if len(list) == 0 {
		list = append(list, nil)
	}
	list[0] = put(list[0], rest, value)
	out[own] = list
	return out
}

// at is the value at a path of a body, if it is there.
func at(body any, path string) (any, bool) {
	if path == "" {
		return body, true
	}
	name, rest, _ := strings.Cut(path, ".")
	own, listed := strings.CutSuffix(name, "[]")
	parent, _ := body.(map[string]any)
	value, ok := parent[own]
	if list, _ := value.([]any); listed && ok {
		if len(list) == 0 {
			return nil, false
		}
		value = list[0]
	}
	if !ok {
		return nil, false
	}
	return at(value, rest)
}

// parentOf is the path of what a field is in.
func parentOf(path string) string {
	i := strings.LastIndex(path, ".")
	if i < 0 {
		return ""
	}
	return path[:i]
}

// form writes a body as the services of AWS read it; member stands between the name of a list and the number of an element.
func form(values url.Values, name string, body any, member string) {
	switch body := body.(type) {
	case map[string]any:
		for key, value := range body {
			form(values, below(name, key), value, member)
		}
	case []any:
		for i, value := range body {
			form(values, below(name, member+strconv.Itoa(i+1)), value, member)
		}
	case float64:
		values.Set(name, strconv.FormatFloat(body, 'f', -1, 64))
	default:
		values.Set(name, fmt.Sprint(body))
	}
}
