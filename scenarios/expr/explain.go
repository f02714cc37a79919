package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	"github.com/google/cel-go/parser"
	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// mostElements is how many elements of a list an explanation goes into.
const mostElements = 4

// Explain says why an expression has the value that it has in a snapshot: it
// evaluates the parts one by one and says what each was. Of an expression that
// was wanted to be true and is not, the parts that are not true are said.
func Explain(e *Expr, s *observe.Snapshot) []string { return explained(e, s, false) }

// ExplainTrue is Explain of an expression that must not be true and is: the parts that made it true are said.
func ExplainTrue(e *Expr, s *observe.Snapshot) []string { return explained(e, s, true) }

func explained(e *Expr, s *observe.Snapshot, unwanted bool) []string {
	x := &explainer{
		env: e.env, vars: activationOf(s), info: e.AST.NativeRep().SourceInfo(), filler: newFiller(e.AST.NativeRep(), e.zeros), said: map[string]bool{}, unwanted: unwanted,
	}
	x.explain(e.AST.NativeRep().Expr())
	if !unwanted {
		x.missing()
	}
	return x.lines
}

// explainer walks the expression as it was written: macros are not expanded.
type explainer struct {
	env  *cel.Env
	vars interpreter.Activation
	info *ast.SourceInfo
	// filler writes the parts as they are evaluated.
	filler *filler
	depth  int
	lines  []string
	said   map[string]bool
	// unwanted is whether the part that is explained should be false: it stands
	// below a negation, or below none in what must never be true.
	unwanted bool
}

func (x *explainer) say(format string, args ...any) {
	for i, line := range strings.Split(fmt.Sprintf(format, args...), "\n") {
		if i > 0 {
			line = "  " + line
		}
		x.lines = append(x.lines, strings.Repeat("  ", x.depth)+line)
	}
}

// text is an expression as CEL.
func (x *explainer) text(e ast.Expr) string {
	text, err := parser.Unparse(e, x.info, parser.WrapOnColumn(longestLine))
	if err != nil {
		return "?"
	}
	return text
}

// value evaluates a part of the expression on its own.
func (x *explainer) value(e ast.Expr) (ref.Val, error) {
	text, err := x.filler.text(e)
	if err != nil {
		return nil, err
	}
	return x.valueOf(text)
}

func (x *explainer) valueOf(text string) (ref.Val, error) {
	part, issues := compileIn(x.env, text)
	if len(issues) > 0 {
		return nil, fmt.Errorf("%s", issues[0].Message)
	}
	value, err := part.eval(x.vars)
	return value, err
}

func (x *explainer) isTrue(e ast.Expr) bool {
	value, err := x.value(e)
	return err == nil && value == types.True
}

// explain says what the parts of an expression were.
func (x *explainer) explain(e ast.Expr) {
	if macro, ok := x.info.GetMacroCall(e.ID()); ok {
		x.macro(e, macro.AsCall())
		return
	}
	if e.Kind() != ast.CallKind {
		x.leaf(e)
		return
	}
	call := e.AsCall()
	switch name := call.FunctionName(); name {
	case operators.LogicalAnd, operators.LogicalOr:
		x.deciding(call.Args())
	case operators.LogicalNot:
		x.unwanted = !x.unwanted
		x.explain(call.Args()[0])
		x.unwanted = !x.unwanted
	case operators.Conditional:
		for _, arg := range call.Args() {
			x.explain(arg)
		}
	case operators.Equals:
		x.comparison(call.Args())
		x.diff(call.Args()[0], call.Args()[1])
	case operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals, operators.In:
		x.comparison(call.Args())
	default:
		x.call(e, call)
	}
}

// deciding explains the operands that are not as they are wanted; all of them when each is.
func (x *explainer) deciding(args []ast.Expr) {
	wrong := slices.DeleteFunc(slices.Clone(args), x.fine)
	if len(wrong) == 0 {
		wrong = args
	}
	for _, arg := range wrong {
		x.explain(arg)
	}
}

// fine reports whether a part is as it is wanted.
func (x *explainer) fine(e ast.Expr) bool { return x.isTrue(e) != x.unwanted }

func (x *explainer) comparison(args []ast.Expr) {
	for _, arg := range args {
		if arg.Kind() != ast.LiteralKind {
			x.explain(arg)
		}
	}
}

// diff shows how two values differ that should be the same.
func (x *explainer) diff(left, right ast.Expr) {
	a, errA := x.value(left)
	b, errB := x.value(right)
	if errA != nil || errB != nil || !composite(a) || !composite(b) {
		return
	}
	if d := cmp.Diff(Plain(b), Plain(a)); d != "" {
		d = strings.ReplaceAll(d, "\u00a0", " ") // cmp varies its spaces so that its output is not parsed
		x.say("diff of %s (-%s +%s):\n%s", "the two", x.text(right), x.text(left), strings.TrimRight(d, "\n"))
	}
}

func composite(v ref.Val) bool {
	return v.Type() == types.MapType || v.Type() == types.ListType
}

// call explains a function by its value and, where that helps, by its operands.
func (x *explainer) call(e ast.Expr, call ast.CallExpr) {
	name := call.FunctionName()
	if !x.leaf(e) || name == operators.Index || name == operators.OptIndex {
		return
	}
	if places, ok := details[name]; ok {
		x.detail(call.Args()[0], places)
		return
	}
	operands := call.Args()
	if call.IsMemberFunction() {
		operands = append([]ast.Expr{call.Target()}, operands...)
	}
	for _, operand := range operands {
		if _, isMacro := x.info.GetMacroCall(operand.ID()); isMacro || operand.Kind() == ast.CallKind || operand.Kind() == ast.SelectKind {
			x.explain(operand)
		}
	}
}

// details are where the functions of this package look in their first operand:
// an object of the cluster, or else a resource of the cloud, which is no object.
var details = map[string][][]string{
	"tainted":   {{"spec", "taints"}},
	"addresses": {{"status", "addresses"}},
	"label":     {{"labels"}, {"metadata", "labels"}},
}

// detail says the first of the parts that there is, or else that the last is missing.
func (x *explainer) detail(object ast.Expr, places [][]string) {
	value, err := x.value(object)
	if err != nil {
		return
	}
	for i, keys := range places {
		part := observe.Dig(native(value), keys...)
		if part != nil || i == len(places)-1 {
			x.say("%s.%s = %s", x.text(object), strings.Join(keys, "."), observe.RenderAny(part))
			return
		}
	}
}

// leaf says the value of a part, or what is missing for it to have one. It reports whether there is a value.
func (x *explainer) leaf(e ast.Expr) bool {
	if e.Kind() == ast.LiteralKind {
		return true
	}
	text := x.text(e)
	value, err := x.value(e)
	if x.said[text] {
		return err == nil
	}
	x.said[text] = true
	if err == nil {
		if said := about(value); said != "= "+text {
			x.say("%s %s", text, said)
		}
		return true
	}
	x.say("%s: %s%s", text, err, x.whatIsThere(e))
	return false
}

// mostInFull is how large a value may be that is shown in full; of a larger one the names are.
const mostInFull = 240

// about says what a value is, or what it holds when it is large.
func about(v ref.Val) string {
	text := observe.RenderAny(Plain(v))
	if len(text) <= mostInFull || !composite(v) {
		return "= " + text
	}
	if _, isMap := v.(traits.Mapper); isMap {
		return contents(v)
	}
	var names []string
	each(v, false, func(values []ref.Val) { names = append(names, short(values[0])) })
	if joined := strings.Join(names, ", "); len(joined) <= mostInFull {
		return fmt.Sprintf("has %s: %s", words.Plural(len(names), "element"), joined)
	}
	return "= " + text
}

// whatIsThere goes to the left until something exists, and says what it holds.
func (x *explainer) whatIsThere(e ast.Expr) string {
	for {
		operand := operandOf(e)
		if operand == nil {
			return ""
		}
		if value, err := x.value(operand); err == nil {
			return fmt.Sprintf("; %s %s", x.text(operand), contents(value))
		}
		e = operand
	}
}

// operandOf is what a selection or an index is taken of.
func operandOf(e ast.Expr) ast.Expr {
	switch {
	case e.Kind() == ast.SelectKind:
		return e.AsSelect().Operand()
	case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Index:
		return e.AsCall().Args()[0]
	case e.Kind() == ast.CallKind && e.AsCall().IsMemberFunction():
		return e.AsCall().Target()
	case e.Kind() == ast.CallKind && len(e.AsCall().Args()) > 0:
		return e.AsCall().Args()[0]
	}
	return nil
}

// contents says what a map or list holds.
func contents(v ref.Val) string {
	switch value := v.(type) {
	case traits.Mapper:
		var keys []string
		for _, key := range sortedKeys(value) {
			keys = append(keys, fmt.Sprint(key.Value()))
		}
		if len(keys) == 0 {
			return "is empty"
		}
		return "has " + strings.Join(keys, ", ")
	case traits.Lister:
		return fmt.Sprintf("has %v elements", value.Size().Value())
	default:
		return "is " + render(v)
	}
}
