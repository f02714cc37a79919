package step

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// Explained is what can be written of one thing in a scenario: of an operation its arguments, of a part of the snapshot its fields.
type Explained struct {
	Name string `json:"name"`
	// Doc says what it is.
	Doc string `json:"doc,omitempty"`
	// Type is that of the value that an expression sees; of an operation, that of the answer that capture names.
	Type      string  `json:"type,omitempty"`
	Arguments []Field `json:"arguments,omitempty"`
	Fields    []Field `json:"fields,omitempty"`
}

// Field is a field of a value, or an argument of an operation.
type Field struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// Words are the texts that it can be, where it is one of a few.
	Words []string `json:"words,omitempty"`
}

// Explain explains an operation of the cloud, such as CreateInstance, or a part of the snapshot by its path, such as
// nodes.status.addresses: names and indexes are left out.
func Explain(path string) (Explained, error) {
	name, rest, _ := strings.Cut(path, ".")
	if slices.Contains(syntax.OperationNames(), name) {
		return explainOperation(name, rest)
	}
	at := slices.IndexFunc(expr.Variables, func(v expr.Variable) bool { return v.Name == name })
	if at < 0 {
		known := syntax.OperationNames()
		for _, v := range expr.Variables {
			known = append(known, v.Name)
		}
		return Explained{}, fmt.Errorf("there is no operation and no variable %q%s", name, words.Suggest(name, known))
	}
	v := expr.Variables[at]
	of, err := follow(v.Type(), name, rest)
	if err != nil {
		return Explained{}, err
	}
	e := Explained{Name: path, Type: of.Name(), Fields: fieldsOf(of)}
	if rest == "" {
		e.Doc = v.Doc()
	}
	return e, nil
}

func explainOperation(name, rest string) (Explained, error) {
	of, err := follow(operationType(name).captured(), name, rest)
	if err != nil {
		return Explained{}, err
	}
	e := Explained{Name: name, Type: of.Name(), Fields: fieldsOf(of)}
	if rest != "" {
		e.Name += "." + rest
		return e, nil
	}
	names, known := argumentsOf(name)
	if !known {
		e.Doc = "its arguments are in the description of the API, /docs of a running cloud"
	}
	types := argumentTypes(name)
	for _, argument := range names {
		t, known := types[argument]
		if !known {
			e.Arguments = append(e.Arguments, Field{Name: argument, Type: "string"}) // ids of the path
			continue
		}
		e.Arguments = append(e.Arguments, Field{argument, expr.TypeOf(t).Name(), expr.WordsOf(t)})
	}
	return e, nil
}

// argumentTypes are the types of the arguments that are fields of a body or a query.
func argumentTypes(operation string) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, t := range operationType(operation).given() {
		if t.Kind() != reflect.Struct {
			continue
		}
		for _, field := range reflect.VisibleFields(t) {
			if name := wireName(field); name != "" {
				types[name] = field.Type
			}
		}
	}
	return types
}

// follow finds the type of a part of a value.
func follow(of expr.Type, name, path string) (expr.Type, error) {
	for path != "" {
		var key string
		key, path, _ = strings.Cut(path, ".")
		of = of.Single()
		fields := of.Fields()
		if !slices.Contains(fields, key) {
			return of, fmt.Errorf("%s has no field %q%s", name, key, words.Suggest(key, fields))
		}
		of, name = of.Field(key), name+"."+key
	}
	return of, nil
}

// fieldsOf are the fields of a value, or of each one that a list or a map holds.
func fieldsOf(of expr.Type) (fields []Field) {
	of = of.Single()
	for _, name := range of.Fields() {
		fields = append(fields, Field{name, of.Field(name).Name(), of.Words(name)})
	}
	return fields
}
