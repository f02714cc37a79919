package openapi

import (
	"encoding"
	"encoding/json"
	"path"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// types makes the schemas of Go types as encoding/json writes them.
type types struct {
	comments comments
	schemas  map[string]*Schema
}

const schemaPrefix = "#/components/schemas/"

// of returns the schema of a type: of one that has a name, where it is to be found.
func (ts types) of(t reflect.Type) *Schema {
	if t.Kind() == reflect.Pointer {
		return ts.of(t.Elem())
	}
	if s := wellKnown(t); s != nil {
		return s
	}
	if t.Name() == "" || t.PkgPath() == "" {
		return ts.plain(t)
	}
	name := componentName(t)
	if _, known := ts.schemas[name]; !known {
		ts.schemas[name] = nil // a type that holds itself finds it
		s := *ts.named(t)
		ts.schemas[name] = s.with(ts.comments.of(t).description())
	}
	return &Schema{Ref: schemaPrefix + name}
}

// wellKnown is the schema of types that are not written as they are made.
func wellKnown(t reflect.Type) *Schema {
	switch t {
	case reflect.TypeFor[time.Time]():
		return &Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return &Schema{Type: "object"}
	default:
		return nil
	}
}

// durationPattern is what time.ParseDuration reads.
const durationPattern = `^[-+]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$`

func (ts types) named(t reflect.Type) *Schema {
	switch {
	case t == reflect.TypeFor[simcloud.Duration]():
		return &Schema{Type: "string", Pattern: durationPattern, Examples: []any{"1m30s"}}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return &Schema{Type: "string"}
	case t.Kind() == reflect.String:
		return &Schema{Type: "string", Enum: ts.comments.of(t).values()}
	default:
		return ts.plain(t)
	}
}

// plain is the schema of a type by what it is made of.
func (ts types) plain(t reflect.Type) *Schema {
	switch t.Kind() {
	case reflect.String:
		return &Schema{Type: "string"}
	case reflect.Bool:
		return &Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &Schema{Type: "integer"}
	case reflect.Uint64:
		return &Schema{Type: "integer", Minimum: new(float64)}
	case reflect.Float64:
		return &Schema{Type: "number"}
	case reflect.Slice:
		return &Schema{Type: "array", Items: ts.of(t.Elem())}
	case reflect.Map:
		return ts.mapping(t)
	case reflect.Struct:
		return ts.object(t)
	default:
		return &Schema{}
	}
}

func (ts types) mapping(t reflect.Type) *Schema {
	s := &Schema{Type: "object", Additional: ts.of(t.Elem())}
	if t.Key().PkgPath() != "" {
		s.PropertyNames = ts.of(t.Key())
	}
	return s
}

// object is the schema of a struct: it has its fields and no other.
func (ts types) object(t reflect.Type) *Schema {
	s := &Schema{Type: "object", Additional: false}
	ts.addFields(s, t)
	return s
}

func (ts types) addFields(s *Schema, t reflect.Type) {
	docs := ts.comments.of(t)
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			ts.addFields(s, field.Type)
		case !field.IsExported() || name == "-":
		default:
			s.Properties = append(s.Properties, Property{name, ts.of(field.Type).with(docs.Fields[field.Name])})
			if options == "" {
				s.Required = append(s.Required, name)
			}
		}
	}
}

// componentName is what the document calls a type: Page[Instance] is
// InstancePage, and what is of another package has its name in front.
func componentName(t reflect.Type) string {
	name, argument, generic := strings.Cut(strings.TrimSuffix(t.Name(), "]"), "[")
	if generic {
		pkg, of, _ := strings.Cut(path.Base(argument), ".")
		return qualified(pkg, of) + name
	}
	return qualified(path.Base(t.PkgPath()), name)
}

func qualified(pkg, name string) string {
	if pkg != "simcloud" && pkg != "server" {
		return capital(pkg) + name
	}
	return capital(name)
}

func capital(name string) string { return string(unicode.ToUpper(rune(name[0]))) + name[1:] }
