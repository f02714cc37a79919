package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// shape is what a method takes and returns, so far as code depends on it.
type shape int

const (
	listing  shape = iota // ListOptions in, a Page out
	reading               // an id in, a resource out
	changing              // ids and a body in, a Result out
	deleting              // an id in, an Operation out
)

// method is one of simcloud.API that has a shape.
type method struct {
	group    string // the interface that declares it
	name     string
	shape    shape
	params   []param
	result   string // the type of the answer, such as "simcloud.Page[simcloud.Zone]"
	resource string // the type inside the answer, such as "simcloud.Zone"
	endpoint simcloud.Endpoint
}

// param is a parameter after the context.
type param struct{ name, typ string }

// Types of parameters that have a meaning of their own; another one's is that of the body.
const (
	idType      = "simcloud.ID"
	listOptions = "simcloud.ListOptions"
	callOptions = "...simcloud.CallOption"
)

// ids are the names of the parameters that are ids.
func (m method) ids() []string {
	var names []string
	for _, p := range m.params {
		if p.typ == idType {
			names = append(names, p.name)
		}
	}
	return names
}

// body is the name of the parameter that is sent as the body, or "nil".
func (m method) body() string {
	for _, p := range m.params {
		if p.typ != idType && p.typ != listOptions && p.typ != callOptions {
			return p.name
		}
	}
	return "nil"
}

// signature is the method without its receiver: its name, parameters and results.
func (m method) signature() string {
	params := []string{"ctx context.Context"}
	for _, p := range m.params {
		params = append(params, p.name+" "+p.typ)
	}
	return fmt.Sprintf("%s(%s) (%s, error)", m.name, strings.Join(params, ", "), m.result)
}

// arguments are those of a call with the parameters of the same names.
func (m method) arguments() string {
	args := []string{"ctx"}
	for _, p := range m.params {
		if p.typ == callOptions {
			p.name += "..."
		}
		args = append(args, p.name)
	}
	return strings.Join(args, ", ")
}

// readMethods returns the methods of simcloud.API that have a shape, in the order
// of the source; dir is the package's folder.
func readMethods(dir string) ([]method, error) {
	interfaces, err := readInterfaces(dir)
	if err != nil {
		return nil, err
	}
	api, ok := interfaces["API"]
	if !ok {
		return nil, fmt.Errorf("%s has no interface API", dir)
	}
	var methods []method
	for _, part := range api.Methods.List {
		group := typeText(part.Type, "")
		if interfaces[group] == nil {
			return nil, fmt.Errorf("API embeds %s, which is no interface of %s", group, dir)
		}
		for _, field := range interfaces[group].Methods.List {
			m, ok, err := readMethod(group, field)
			if err != nil {
				return nil, err
			}
			if ok {
				methods = append(methods, m)
			}
		}
	}
	return methods, nil
}

// readInterfaces returns the interfaces of a package by their names.
func readInterfaces(dir string) (map[string]*ast.InterfaceType, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	found := map[string]*ast.InterfaceType{}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if is, ok := spec.Type.(*ast.InterfaceType); ok {
					found[spec.Name.Name] = is
				}
			}
			return true
		})
	}
	return found, nil
}

// readMethod reads a method of an interface. It reports false for one without a shape.
func readMethod(group string, field *ast.Field) (method, bool, error) {
	m := method{group: group, name: field.Names[0].Name}
	is := field.Type.(*ast.FuncType)
	if len(is.Results.List) != 2 {
		return m, false, nil // a stream
	}
	m.result = typeText(is.Results.List[0].Type, "simcloud.")
	for _, p := range is.Params.List[1:] {
		for _, name := range p.Names {
			m.params = append(m.params, param{name.Name, typeText(p.Type, "simcloud.")})
		}
	}
	var known bool
	if m.endpoint, known = simcloud.EndpointOf(m.name); !known {
		return m, false, fmt.Errorf("%s.%s has no endpoint", group, m.name)
	}
	m.shape, m.resource = shapeOf(m)
	if got := strings.Count(m.endpoint.Path, "{"); got != len(m.ids()) {
		return m, false, fmt.Errorf("%s.%s has %d ids, its path %s has %d", group, m.name, len(m.ids()), m.endpoint.Path, got)
	}
	return m, true, nil
}

// shapeOf tells the shape of a method by its answer, and the type of the resource in it.
func shapeOf(m method) (shape, string) {
	takesOptions := slices.ContainsFunc(m.params, func(p param) bool { return p.typ == callOptions })
	if inner, ok := argument(m.result, "simcloud.Page"); ok {
		return listing, inner
	}
	if inner, ok := argument(m.result, "simcloud.Result"); ok {
		return changing, inner
	}
	if takesOptions {
		return deleting, m.result
	}
	return reading, m.result
}

// argument is the type that a generic type of that name is of.
func argument(typ, generic string) (string, bool) {
	inner, ok := strings.CutPrefix(typ, generic+"[")
	return strings.TrimSuffix(inner, "]"), ok
}

// typeText is a type as it is written outside of its package, whose qualifier ends in a dot.
func typeText(expr ast.Expr, qualifier string) string {
	switch is := expr.(type) {
	case *ast.Ident:
		if is.IsExported() {
			return qualifier + is.Name
		}
		return is.Name
	case *ast.SelectorExpr:
		return typeText(is.X, "") + "." + is.Sel.Name
	case *ast.IndexExpr:
		return typeText(is.X, qualifier) + "[" + typeText(is.Index, qualifier) + "]"
	case *ast.Ellipsis:
		return "..." + typeText(is.Elt, qualifier)
	case *ast.StarExpr:
		return "*" + typeText(is.X, qualifier)
	case *ast.ArrayType:
		return "[]" + typeText(is.Elt, qualifier)
	default:
		return fmt.Sprintf("%T", expr) // the compiler refuses it where it is used
	}
}
