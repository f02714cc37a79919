package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// macro explains all, exists, filter and their like by the elements that decided, and map by its value.
func (x *explainer) macro(e ast.Expr, call ast.CallExpr) {
	args := call.Args()
	if !call.IsMemberFunction() { // has(…) and the like
		for _, arg := range args {
			if operand := operandOf(arg); operand != nil {
				x.leaf(operand)
			}
		}
		return
	}
	names, predicate := variablesOf(args)
	if len(names) == 0 {
		x.leaf(e)
		return
	}
	switch call.FunctionName() {
	case "map", "transformList", "transformMap":
		x.leaf(e)
		return
	case "filter":
		if value, err := x.value(e); err == nil && hasElements(value) {
			x.leaf(e)
			return
		}
		defer func(unwanted bool) { x.unwanted = unwanted }(x.unwanted)
		x.unwanted = false // it is empty: why each element does not fulfil the predicate
	}
	x.ranged(call.Target())
	if elements, err := x.value(call.Target()); err == nil {
		x.elements(names, predicate, elements)
	}
}

// ranged explains what a macro ranges over: by its own parts when it is a macro too.
func (x *explainer) ranged(e ast.Expr) {
	if _, isMacro := x.info.GetMacroCall(e.ID()); isMacro {
		x.explain(e)
		return
	}
	x.leaf(e)
}

func hasElements(v ref.Val) bool {
	found := false
	each(v, false, func([]ref.Val) { found = true })
	return found
}

// variablesOf splits the arguments of a macro into its variables and what is asked of each element.
func variablesOf(args []ast.Expr) (names []string, predicate ast.Expr) {
	for len(args) > 1 && args[0].Kind() == ast.IdentKind && len(names) < 2 {
		names = append(names, args[0].AsIdent())
		args = args[1:]
	}
	return names, args[0]
}

// elements explains the elements that decided: for a macro that was false or
// came out empty, those that do not fulfil the predicate; for one that should be, those that do.
func (x *explainer) elements(names []string, predicate ast.Expr, elements ref.Val) {
	shown, more := 0, 0
	each(elements, len(names) == 2, func(values []ref.Val) {
		inner, err := x.inside(names, values)
		if err != nil {
			return
		}
		if inner.fine(predicate) {
			return
		}
		if shown++; shown > mostElements {
			more++
			return
		}
		x.say("for %s:", title(names, values))
		inner.explain(predicate)
		x.lines = append(x.lines, inner.lines...)
	})
	if more > 0 {
		x.say("and for %d more", more)
	}
}

// inside returns an explainer in which a macro's variables have values.
func (x *explainer) inside(names []string, values []ref.Val) (*explainer, error) {
	env, bound := x.env, map[string]any{}
	for i, name := range names {
		extended, err := env.Extend(cel.Variable(name, cel.DynType))
		if err != nil {
			return nil, err
		}
		env, bound[name] = extended, values[i]
	}
	vars, err := interpreter.NewActivation(bound)
	if err != nil {
		return nil, err
	}
	return &explainer{
		env:   env,
		vars:  interpreter.NewHierarchicalActivation(x.vars, vars),
		info:  x.info,
		depth: x.depth + 1,
		said:  map[string]bool{},

		filler: x.filler,

		unwanted: x.unwanted,
	}, nil
}

// each calls f with the elements of a list or the keys of a map; with two
// variables with indices and elements, or keys and values.
func each(v ref.Val, two bool, f func([]ref.Val)) {
	switch value := v.(type) {
	case traits.Mapper:
		for _, key := range sortedKeys(value) {
			if two {
				f([]ref.Val{key, value.Get(key)})
			} else {
				f([]ref.Val{key})
			}
		}
	case traits.Lister:
		size := int(value.Size().(types.Int))
		for i := range size {
			element := value.Get(types.Int(i))
			if two {
				f([]ref.Val{types.Int(i), element})
			} else {
				f([]ref.Val{element})
			}
		}
	}
}

func sortedKeys(m traits.Mapper) []ref.Val {
	var keys []ref.Val
	for it := m.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	slices.SortFunc(keys, func(a, b ref.Val) int { return strings.Compare(fmt.Sprint(a.Value()), fmt.Sprint(b.Value())) })
	return keys
}

// title names an element for humans: by its own name or id where it has one.
func title(names []string, values []ref.Val) string {
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s = %s", name, short(values[i]))
	}
	return text
}

func short(v ref.Val) string {
	object, ok := Plain(v).(map[string]any)
	if !ok {
		return render(v)
	}
	for _, key := range []string{"id", "name", "operation", "reason", "type"} {
		if text, ok := object[key].(string); ok && text != "" {
			return text
		}
	}
	if name, ok := observe.Dig(object, "metadata", "name").(string); ok {
		return name
	}
	return render(v)
}
