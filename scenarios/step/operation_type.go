package step

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// method is that of an operation of the cloud; its type is nil when there is none of the name.
type method struct{ reflect.Type }

// operationType finds the method of an operation, from which its arguments and its answer are known.
func operationType(operation string) method {
	for _, api := range []reflect.Type{
		reflect.TypeFor[simcloud.API](), reflect.TypeFor[simcloud.Control](), reflect.TypeFor[simcloud.JournalAPI](), reflect.TypeFor[fault.API](),
	} {
		if m, found := api.MethodByName(operation); found {
			return method{m.Type}
		}
	}
	return method{}
}

// captured is the type of the answer; nothing is known of what some operations of the simulator answer.
func (m method) captured() expr.Type {
	if m.Type == nil || m.NumOut() < 2 || m.Out(0).Kind() != reflect.Struct {
		return expr.Type{}
	}
	return expr.TypeOf(m.Out(0))
}

// given are the parameters of the method that are neither ids, which the path has, nor options of the call.
func (m method) given() (given []reflect.Type) {
	if m.Type == nil {
		return nil
	}
	for i := range m.NumIn() {
		switch t := m.In(i); {
		case t == reflect.TypeFor[context.Context](), t == reflect.TypeFor[simcloud.ID](), m.IsVariadic() && i == m.NumIn()-1:
		default:
			given = append(given, t)
		}
	}
	return given
}

// unnamed are the names that values have which are no struct, by operation: reflection knows no names of parameters.
var unnamed = map[string]string{"AdvanceClock": "by", "DiffSnapshot": "against"}

// argumentsOf are the names of the arguments that an operation takes: ids of its path, then query parameters or fields of its
// body. It reports false for an operation of the simulator of which they are not known.
func argumentsOf(operation string) (names []string, known bool) {
	endpoint, _ := simcloud.EndpointOf(operation)
	for _, match := range pathArgument.FindAllStringSubmatch(endpoint.Path, -1) {
		names = append(names, match[1])
	}
	m := operationType(operation)
	for _, t := range m.given() {
		switch name := unnamed[operation]; {
		case name != "":
			names = append(names, name)
		case t.Kind() == reflect.Struct:
			names = append(names, fieldNames(t)...)
		default:
			return nil, false
		}
	}
	return names, m.Type != nil
}

// fieldNames are the names that the fields of a struct have on the wire: as its tags say, or as they are in Go.
func fieldNames(t reflect.Type) (names []string) {
	for _, field := range reflect.VisibleFields(t) {
		if name := wireName(field); name != "" {
			names = append(names, name)
		}
	}
	return slices.Compact(names)
}

// wireName is what a field is called on the wire; "" for one that is not sent, or whose own fields are.
func wireName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	switch {
	case field.Anonymous && name == "", !field.IsExported(), name == "-":
		return ""
	case name == "":
		return strings.ToLower(field.Name[:1]) + field.Name[1:]
	default:
		return name
	}
}
