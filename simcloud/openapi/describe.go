package openapi

import (
	"reflect"
	"strings"
	"unicode"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Described is what the comments of a type say, in the words of those who write its JSON.
type Described struct {
	Doc string `json:"doc,omitempty"`
	// Fields are those of an object, in the order of the source.
	Fields []Field `json:"fields,omitempty"`
}

// Field is a field of an object.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required,omitempty"`
	Doc      string `json:"doc,omitempty"`
	// Values are the texts that it can be, where it is one of a few.
	Values []Value `json:"values,omitempty"`
}

// Value is one of the texts that a field can be.
type Value struct {
	Value string `json:"value"`
	Doc   string `json:"doc,omitempty"`
}

// Describe says what the comments of a type and of its fields say.
func Describe(t reflect.Type) (Described, error) {
	c, err := readComments()
	if err != nil {
		return Described{}, err
	}
	said := c.of(t)
	described := Described{Doc: sentence(t.Name(), said.Doc)}
	if t.Kind() != reflect.Struct {
		return described, nil
	}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		described.Fields = append(described.Fields, Field{
			Name: name, Type: typeWord(f.Type), Required: options == "", Doc: sentence(f.Name, said.Fields[f.Name]), Values: c.valuesOf(f.Type),
		})
	}
	return described, nil
}

// valuesOf are the constants of a type.
func (c comments) valuesOf(t reflect.Type) (values []Value) {
	for _, v := range c.of(t).Values {
		doc := v.Doc
		if name, rest, named := strings.Cut(doc, ": "); named && !strings.Contains(name, " ") { // of the constant
			doc = rest
		}
		values = append(values, Value{v.Value, doc})
	}
	return values
}

// sentence is a comment without the name in Go that it begins with: "Size is how many" is "How many".
func sentence(name, doc string) string {
	rest, named := strings.CutPrefix(doc, name+" ")
	if !named {
		return doc
	}
	rest = strings.TrimPrefix(rest, "is ")
	first := []rune(rest)
	first[0] = unicode.ToUpper(first[0])
	return string(first)
}

// typeWord is what a value of the type is, in a word or two.
func typeWord(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[simcloud.Duration]():
		return "duration"
	case t.Kind() == reflect.Pointer:
		return typeWord(t.Elem())
	case t.Kind() == reflect.Slice:
		return "list"
	case t.Kind() == reflect.Float64:
		return "number"
	case t.Kind() == reflect.Int, t.Kind() == reflect.Uint64:
		return "integer"
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Map:
		return "object"
	}
	return t.Kind().String()
}
