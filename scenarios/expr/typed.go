package expr

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// typedEnv is the environment of expressions with the types of what they read. It finds mistakes before a scenario runs, and
// nothing is evaluated in it: values are decoded JSON, whatever the types say.
var typedEnv = sync.OnceValues(func() (*cel.Env, error) { return newEnv(func(v Variable) *cel.Type { return v.typ }) })

// typed checks the expressions of one scenario against the types of what they read.
type typed struct {
	captured map[string]*cel.Type
	env      *cel.Env // nil when names have come since
	missed   []missedField
}

// missedField is a field that a type does not have.
type missedField struct{ of, name string }

// declare tells of a captured name. Captured again, the later value counts.
func (t *typed) declare(name string, of Type) {
	t.captured[name], t.env = of.orAny(), nil
}

// provider answers the checker's questions about types, and keeps those about fields that are not there.
type provider struct {
	*structs
	typed *typed
}

// FindStructType is a part of [types.Provider].
func (p provider) FindStructType(name string) (*types.Type, bool) {
	if _, ok := p.field(name, ""); ok {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return p.Registry.FindStructType(name)
}

// FindStructFieldType is a part of [types.Provider].
func (p provider) FindStructFieldType(of, name string) (*types.FieldType, bool) {
	found, ok := p.field(of, name)
	if !ok {
		return p.Registry.FindStructFieldType(of, name)
	}
	if found == nil {
		p.typed.missed = append(p.typed.missed, missedField{of, name})
		return nil, false
	}
	return &types.FieldType{Type: found}, true
}

// check returns the type of a parsed expression whose names are known, and what fields that it reads are when they are left
// out; or what is wrong by the types of what it reads.
func (t *typed) check(parsed *cel.Ast) (Type, zeros, []*common.Error) {
	if t.env == nil {
		if err := t.renew(); err != nil {
			return Type{}, nil, []*common.Error{{Message: err.Error(), Location: common.NoLocation}}
		}
	}
	t.missed = nil
	checked, issues := t.env.Check(parsed)
	if issues.Err() == nil {
		return Type{checked.OutputType()}, zerosOf(checked), impossible(checked)
	}
	var wrong []*common.Error
	for _, issue := range issues.Errors() {
		if message := t.message(issue.Message); message != "" {
			wrong = append(wrong, &common.Error{Message: message, Location: issue.Location, ExprID: issue.ExprID})
		}
	}
	if len(wrong) == 0 {
		return Type{}, t.looseZeros(parsed, issues.Errors()), nil
	}
	return Type{}, nil, wrong
}

// mostLoosened is how often an expression is checked again after parts of it were loosened.
const mostLoosened = 10

// looseZeros are those of an expression that compares or indexes values as JSON, which the types alone do not allow: what
// it compares is taken for values of any type.
func (t *typed) looseZeros(parsed *cel.Ast, issues []*common.Error) zeros {
	again, parsing := t.env.Parse(parsed.Source().Content()) // with the same ids
	if parsing.Err() != nil {
		return nil
	}
	for range mostLoosened {
		loosen(again.NativeRep(), issues)
		checked, checking := t.env.Check(again)
		if checking.Err() == nil {
			return zerosOf(checked)
		}
		issues = checking.Errors()
	}
	return nil
}

// loosen lets the calls that are wrong take values of any type.
func loosen(tree *ast.AST, issues []*common.Error) {
	fac, next := ast.NewExprFactory(), ast.MaxID(tree)
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || !slices.ContainsFunc(issues, func(i *common.Error) bool { return i.ExprID == e.ID() }) {
			return
		}
		var args []ast.Expr
		for _, arg := range e.AsCall().Args() {
			next++
			args = append(args, fac.NewCall(next, "dyn", arg))
		}
		e.SetKindCase(fac.NewCall(e.ID(), e.AsCall().FunctionName(), args...))
	}))
}

func (t *typed) renew() error {
	base, err := typedEnv()
	if err != nil {
		return err
	}
	options := []cel.EnvOption{cel.CustomTypeProvider(provider{known, t})}
	for name, of := range t.captured {
		options = append(options, cel.Variable(name, of))
	}
	t.env, err = base.Extend(options...)
	return err
}

// message is what a mistake is; "" where there is no mistake, since values are compared and indexed as JSON.
func (t *typed) message(said string) string {
	if name, ok := strings.CutPrefix(said, "undefined field '"); ok {
		return t.noField(strings.TrimSuffix(name, "'"))
	}
	for _, loose := range []string{operators.Equals, operators.NotEquals, operators.In, operators.Index, operators.OptIndex, operators.Conditional} {
		if strings.HasPrefix(said, "found no matching overload for '"+loose+"'") && namesStruct(said) {
			return ""
		}
	}
	return said
}

// namesStruct reports whether a message of the checker names a type with fields, which is the path of a package, or null.
func namesStruct(said string) bool {
	return strings.Contains(said, "/") || strings.Contains(said, "null")
}

// noField says which fields there are in the place of one that is not.
func (t *typed) noField(name string) string {
	at := slices.IndexFunc(t.missed, func(m missedField) bool { return m.name == name })
	if at < 0 {
		return fmt.Sprintf("there is no field %q", name)
	}
	of := t.missed[at].of
	names := known.names(of)
	hint := words.Suggest(name, names)
	if hint == "" && len(names) <= mostNamed {
		hint = ": it has " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s has no field %q%s", withArticle(plainTypes(of)), name, hint)
}

// mostNamed is how many fields a message names when none is close to what was written.
const mostNamed = 8

// withArticle is the name of a type in a sentence: "a Node".
func withArticle(name string) string {
	if strings.ContainsRune("AEIOUaeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
