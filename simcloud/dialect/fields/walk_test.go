package fields_test

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// field is a place of a request that has one value, a list of plain values, or a map.
type field struct {
	// path leads to it by the names on the wire, as in "services[].health_check.port".
	path string
	kind reflect.Kind
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// fieldsOf are the fields of a request type, in the order of their paths. Names are those of the tags json and aws.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	walk(t, "", nil, &fields)
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.path, b.path) })
	return fields
}

// walk adds the fields of a type at a path. A type is not walked again within itself: the domain of a domain is nothing.
func walk(t reflect.Type, path string, within []reflect.Type, into *[]field) {
	t = plain(t)
	switch {
	case slices.Contains(within, t):
	case t.Kind() == reflect.Slice && plain(t.Elem()).Kind() == reflect.Struct:
		walk(t.Elem(), path+"[]", within, into)
	case t.Kind() != reflect.Struct || reads(t):
		*into = append(*into, field{path, t.Kind()})
	default:
		for _, f := range reflect.VisibleFields(t) {
			if name := nameOf(f); name != "" {
				walk(f.Type, below(path, name), append(slices.Clone(within), t), into)
			}
		}
	}
}

// plain is the type of a value behind pointers, and behind what tells null from nothing: a type that reads itself and has a field value.
func plain(t reflect.Type) reflect.Type {
	for {
		if t.Kind() == reflect.Struct && reads(t) {
			if value, ok := t.FieldByName("value"); ok {
				t = value.Type
				continue
			}
		}
		if t.Kind() != reflect.Pointer {
			return t
		}
		t = t.Elem()
	}
}

func reads(t reflect.Type) bool { return reflect.PointerTo(t).Implements(unmarshaler) }

// nameOf is what a field is called on the wire; empty for one that is not there.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(cmp.Or(f.Tag.Get("aws"), f.Tag.Get("json")), ",")
	return name
}

func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// TestWalk: no field of a type is left out, those of embedded types, of lists and behind wrappers among them.
func TestWalk(t *testing.T) {
	t.Parallel()
	type inner struct {
		B []string `json:"b"`
	}
	type embedded struct {
		C map[string]string `aws:"c,required"`
	}
	type request struct {
		embedded
		A      *int            `json:"a,omitempty"`
		List   *[]inner        `json:"list"`
		Maybe  wrapped[*inner] `json:"maybe"`
		Raw    json.RawMessage `json:"raw"`
		Self   *request        `json:"self"`
		hidden int
	}
	_ = request{hidden: 1}
	var paths []string
	for _, f := range fieldsOf(reflect.TypeFor[request]()) {
		paths = append(paths, f.path)
	}
	if want := []string{"a", "c", "list[].b", "maybe.b", "raw"}; !slices.Equal(paths, want) {
		t.Errorf("got %q, want %q", paths, want)
	}
}

// wrapped is like what OpenStack's services have for an attribute that may be null.
type wrapped[T any] struct{ value T }

func (w *wrapped[T]) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, &w.value) }
