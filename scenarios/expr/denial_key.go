package expr

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// keys says in which way a part has keys of a kind.
type keys struct {
	kind observe.KeyKind
	// inside is whether each element has its key in a field, as a taint has. An element of all else is one.
	inside bool
	list   bool
}

// keysOf says which keys a list or a map has: that of a field of the name taints, labels or annotations.
func (d *denials) keysOf(e ast.Expr) (keys, bool) {
	if call := d.call(e); call != nil {
		switch call.FunctionName() {
		case "orValue", "value":
			return d.keysOf(call.Target())
		case "map":
			return d.mapped(call)
		}
	}
	switch d.field(e) {
	case "taints":
		return keys{observe.TaintKey, true, true}, true
	case "labels":
		return keys{kind: observe.LabelKey}, true
	case "annotations":
		return keys{kind: observe.AnnotationKey}, true
	}
	return keys{}, false
}

// mapped says which keys "taints.map(t, t.key)" has.
func (d *denials) mapped(call ast.CallExpr) (keys, bool) {
	of, ok := d.keysOf(call.Target())
	names, key := variablesOf(call.Args())
	if !ok || !of.inside || len(names) != 1 || key.Kind() != ast.SelectKind || key.AsSelect().FieldName() != "key" {
		return keys{}, false
	}
	return keys{of.kind, false, true}, isVariable(key.AsSelect().Operand(), names[0])
}

// field is the name of the field that a part reads; empty when it reads none.
func (d *denials) field(e ast.Expr) string {
	if e.Kind() == ast.SelectKind {
		return e.AsSelect().FieldName()
	}
	if call := d.call(e); call != nil {
		switch call.FunctionName() {
		case operators.OptSelect, operators.Index, operators.OptIndex:
			name, _ := literal[string](call.Args()[1])
			return name
		}
	}
	return ""
}

// key says of which kind a part is a key: t.key of a taint t, or the variable of a macro that looks at all keys.
func (d *denials) key(e ast.Expr) (observe.KeyKind, bool) {
	inside := e.Kind() == ast.SelectKind && e.AsSelect().FieldName() == "key"
	if inside {
		e = e.AsSelect().Operand()
	}
	if e.Kind() != ast.IdentKind {
		return "", false
	}
	of, ok := d.bound[e.AsIdent()]
	return of.kind, ok && of.inside == inside
}

// keyValue is a part that is the value of a key.
type keyValue struct {
	kind    observe.KeyKind
	key     ast.Expr
	missing string // what it is where the key does not exist
}

// value finds the key of whose value a part is: label(node, "zone"), or labels[?"zone"].orValue("").
func (d *denials) value(e ast.Expr) (keyValue, bool) {
	call := d.call(e)
	if call == nil {
		return keyValue{}, false
	}
	switch args := call.Args(); call.FunctionName() {
	case "label":
		return keyValue{observe.LabelKey, args[1], ""}, true
	case "orValue":
		of, key, ok := d.optional(call.Target())
		missing, isText := literal[string](args[0])
		return keyValue{of, key, missing}, ok && isText
	}
	return keyValue{}, false
}

// optional finds the key in labels[?"zone"], or in labels.?zone.
func (d *denials) optional(e ast.Expr) (observe.KeyKind, ast.Expr, bool) {
	call := d.call(e)
	if call == nil || call.FunctionName() != operators.OptIndex && call.FunctionName() != operators.OptSelect {
		return "", nil, false
	}
	of, ok := d.keysOf(call.Args()[0])
	return of.kind, call.Args()[1], ok && !of.inside
}
