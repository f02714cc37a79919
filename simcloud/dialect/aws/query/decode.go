package query

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Decode fills a structure, to which into points, with the parameters of a form. A parameter that the structure
// does not have is an error, as is one without a value of its type.
//
// Fields are structures, texts, numbers, booleans, pointers to them, and lists. The numbers
// of a list order its elements; gaps are allowed, of which AWS' documents say nothing.
func (p Protocol) Decode(f Form, into any) error {
	root := f.root
	if root == nil {
		root = &node{}
	}
	return p.structure(root, "", reflect.ValueOf(into).Elem())
}

// tag is what a field is on the wire.
type tag struct {
	name                string
	required, omitempty bool
}

// field is one of a structure that has a tag.
type field struct {
	tag
	value reflect.Value
}

// fieldsOf are the fields of a structure that have a tag, those of structures in it that have no name among them.
func fieldsOf(v reflect.Value) []field {
	var fields []field
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, options, _ := strings.Cut(f.Tag.Get("aws"), ",")
		if name != "" {
			fields = append(fields, field{tag{name, options == "required", options == "omitempty"}, v.FieldByIndex(f.Index)})
		}
	}
	return fields
}

// below is the name of a place in another.
func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// structure fills a structure from a place.
func (p Protocol) structure(n *node, path string, into reflect.Value) error {
	if n.given && path != "" {
		return wrong(BadValue, path, "must be a structure, not a text")
	}
	known := map[string]bool{}
	for _, f := range fieldsOf(into) {
		known[f.name] = true
		if child := n.children[f.name]; child != nil {
			if err := p.value(child, below(path, f.name), f.value); err != nil {
				return err
			}
		}
		if f.required && (f.value.IsZero() || f.value.Kind() == reflect.Slice && f.value.Len() == 0) {
			return wrong(Missing, below(path, f.name), "is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		if !known[name] {
			return wrong(Unknown, leaf(below(path, name), n.children[name]), "is not a parameter of the operation, or one that is not simulated")
		}
	}
	return nil
}

// leaf is the whole name of the first field at a place.
func leaf(path string, n *node) string {
	for !n.given && len(n.children) > 0 {
		name := slices.Min(slices.Collect(maps.Keys(n.children)))
		path, n = below(path, name), n.children[name]
	}
	return path
}

// value fills one field.
func (p Protocol) value(n *node, path string, into reflect.Value) error {
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return p.value(n, path, into.Elem())
	case reflect.Struct:
		return p.structure(n, path, into)
	case reflect.Slice:
		return p.list(n, path, into)
	default:
		return text(n, path, into)
	}
}

// text fills a field that is one value.
func text(n *node, path string, into reflect.Value) error {
	if len(n.children) > 0 {
		return wrong(Unknown, leaf(path, &node{children: n.children}), "is not a parameter of the operation: %s is one value", path)
	}
	switch into.Kind() {
	case reflect.String:
		into.SetString(n.text)
	case reflect.Bool:
		if n.text != "true" && n.text != "false" {
			return wrong(BadValue, path, "%q must be true or false", Clip(n.text))
		}
		into.SetBool(n.text == "true")
	case reflect.Int:
		number, err := strconv.ParseInt(n.text, 10, 32)
		if err != nil {
			return wrong(BadValue, path, "%q must be a whole number of 32 bits", Clip(n.text))
		}
		into.SetInt(number)
	default:
		panic(fmt.Sprintf("query: no form has a %s, as %s is", into.Type(), path))
	}
	return nil
}

// list fills a list. An empty one is a field without a value.
func (p Protocol) list(n *node, path string, into reflect.Value) error {
	if n.given && n.text != "" {
		return wrong(BadValue, path, "must be a list, whose first element is %s", below(path, below(p.member, "1")))
	}
	elements := n.children
	if p.member != "" && len(elements) > 0 {
		inner, ok := elements[p.member]
		if !ok || len(elements) > 1 || inner.given {
			return wrong(Unknown, leaf(path, &node{children: elements}), "is not a parameter of the operation: the first element of the list is %s.%s.1", path, p.member)
		}
		path, elements = below(path, p.member), inner.children
	}
	numbers := make([]int, 0, len(elements))
	for name := range elements {
		number, ok := position(name)
		if !ok {
			return wrong(Unknown, leaf(below(path, name), elements[name]), "is not a parameter of the operation: elements of the list have numbers from 1")
		}
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	into.Set(reflect.MakeSlice(into.Type(), len(numbers), len(numbers)))
	for i, number := range numbers {
		name := strconv.Itoa(number)
		if err := p.value(elements[name], below(path, name), into.Index(i)); err != nil {
			return err
		}
	}
	return nil
}
