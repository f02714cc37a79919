package expr

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// Denial is a part of an expression that is as it is wanted wherever a key does not exist, such as
// !tainted(node, "example.com/drained"): where nothing ever had the key, it proves nothing.
type Denial struct {
	Kind observe.KeyKind
	Key  string
	// Place is where the key is in the file; empty when the expression is of no file.
	Place string
}

// Denials are the keys that the expression denies when it is wanted to be true, or false. Only keys that are written in it
// as texts are found.
func (e *Expr) Denials(wanted bool) []Denial {
	native := e.AST.NativeRep()
	d := &denials{expr: e, info: native.SourceInfo(), bound: map[string]keys{}}
	d.look(native.Expr(), wanted)
	return d.found
}

// denials walks an expression as it was written: macros are not expanded.
type denials struct {
	expr  *Expr
	info  *ast.SourceInfo
	bound map[string]keys // the variables of macros that stand for keys, or have them
	found []Denial
}

// look finds the denials in a part that is wanted to be true, or false.
func (d *denials) look(e ast.Expr, wanted bool) {
	call := d.call(e)
	if call == nil {
		return
	}
	switch name, args := call.FunctionName(), call.Args(); name {
	case operators.LogicalAnd, operators.LogicalOr:
		for _, arg := range args {
			d.look(arg, wanted)
		}
	case operators.LogicalNot:
		d.look(args[0], !wanted)
	case operators.Conditional:
		d.look(args[1], wanted)
		d.look(args[2], wanted)
	case operators.Equals, operators.NotEquals:
		equal := (name == operators.Equals) == wanted
		d.equality(args[0], args[1], equal)
		d.equality(args[1], args[0], equal)
		d.count(name, args, wanted)
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		d.count(name, args, wanted)
	case "all", "exists", "exists_one", "existsOne":
		d.each(call, wanted)
	default:
		if !wanted {
			d.denied(call)
		}
	}
}

// call is a part as a call, of a macro as it was written; nil for all else.
func (d *denials) call(e ast.Expr) ast.CallExpr {
	if macro, ok := d.info.GetMacroCall(e.ID()); ok {
		return macro.AsCall()
	}
	if e.Kind() == ast.CallKind {
		return e.AsCall()
	}
	return nil
}

// denied looks at a call that is wanted to be false.
func (d *denials) denied(call ast.CallExpr) {
	args := call.Args()
	switch call.FunctionName() {
	case "tainted":
		d.add(observe.TaintKey, args[1])
	case operators.In:
		d.notIn(args[0], args[1])
	case operators.Has:
		if selected := args[0]; selected.Kind() == ast.SelectKind {
			if of, ok := d.keysOf(selected.AsSelect().Operand()); ok && !of.inside {
				d.note(of.kind, selected.AsSelect().FieldName(), selected.ID())
			}
		}
	case "hasValue":
		if of, key, ok := d.optional(call.Target()); ok {
			d.add(of, key)
		}
	case "startsWith", "endsWith", "contains", "matches":
		if v, ok := d.value(call.Target()); ok && call.IsMemberFunction() {
			d.add(v.kind, v.key)
		}
	}
}

// notIn looks at "x in y" that is wanted to be false: y may be all keys, or x one of them.
func (d *denials) notIn(x, y ast.Expr) {
	if of, ok := d.keysOf(y); ok && !of.inside {
		d.add(of.kind, x)
	}
	if kind, ok := d.key(x); ok && y.Kind() == ast.ListKind {
		for _, element := range y.AsList().Elements() {
			d.add(kind, element)
		}
	}
}

// equality looks at two parts that are wanted to be equal, or not.
func (d *denials) equality(part, other ast.Expr, equal bool) {
	if truth, ok := literal[bool](other); ok {
		d.look(part, truth == equal)
		return
	}
	if kind, ok := d.key(part); ok && !equal {
		d.add(kind, other)
	}
	v, ok := d.value(part)
	if !ok {
		return
	}
	text, known := literal[string](other)
	_, twoValues := d.value(other)
	if known && (v.missing == text) == equal || !known && !equal && !twoValues {
		d.add(v.kind, v.key)
	}
}

// count looks at how many elements fulfil a predicate: where none is as it is wanted, each must not.
func (d *denials) count(operator string, args []ast.Expr, wanted bool) {
	holds := map[string]func(a, b int64) bool{
		operators.Equals:        func(a, b int64) bool { return a == b },
		operators.NotEquals:     func(a, b int64) bool { return a != b },
		operators.Less:          func(a, b int64) bool { return a < b },
		operators.LessEquals:    func(a, b int64) bool { return a <= b },
		operators.Greater:       func(a, b int64) bool { return a > b },
		operators.GreaterEquals: func(a, b int64) bool { return a >= b },
	}[operator]
	if n, ok := literal[int64](args[1]); ok {
		if filter := d.filterIn(args[0]); filter != nil {
			d.each(filter, holds(0, n) != wanted)
		}
	}
	if n, ok := literal[int64](args[0]); ok {
		if filter := d.filterIn(args[1]); filter != nil {
			d.each(filter, holds(n, 0) != wanted)
		}
	}
}

// filterIn is the filter whose size a part is; nil for all else.
func (d *denials) filterIn(e ast.Expr) ast.CallExpr {
	size := d.call(e)
	if size == nil || size.FunctionName() != "size" {
		return nil
	}
	of := size.Target()
	if !size.IsMemberFunction() {
		of = size.Args()[0]
	}
	if filter := d.call(of); filter != nil && filter.FunctionName() == "filter" {
		return filter
	}
	return nil
}

// each looks at the predicate of a macro, which is wanted to be true of elements, or false.
func (d *denials) each(macro ast.CallExpr, wanted bool) {
	names, predicate := variablesOf(macro.Args())
	of, ok := d.keysOf(macro.Target())
	if !ok || len(names) == 0 {
		d.look(predicate, wanted)
		return
	}
	name := names[0]
	if of.list { // its first variable of two is the index
		name = names[len(names)-1]
	}
	before, shadows := d.bound[name]
	d.bound[name] = of
	d.look(predicate, wanted)
	if delete(d.bound, name); shadows {
		d.bound[name] = before
	}
}

// add notes the denial of a key that is written as a text.
func (d *denials) add(kind observe.KeyKind, key ast.Expr) {
	if text, ok := literal[string](key); ok {
		d.note(kind, text, key.ID())
	}
}

func (d *denials) note(kind observe.KeyKind, key string, id int64) {
	found := Denial{Kind: kind, Key: key}
	if d.expr.PlaceOf != nil {
		at := d.info.GetStartLocation(id)
		found.Place = d.expr.PlaceOf(at.Line(), at.Column())
	}
	d.found = append(d.found, found)
}

// literal is the value of a part that is written as such.
func literal[T bool | int64 | string](e ast.Expr) (value T, ok bool) {
	if e.Kind() == ast.LiteralKind {
		value, ok = e.AsLiteral().Value().(T)
	}
	return value, ok
}
