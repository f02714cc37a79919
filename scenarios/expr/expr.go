package expr

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/ext"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// Compiler compiles the expressions of one scenario. It learns the names that
// steps capture, so that a name is known from the step after on.
type Compiler struct {
	env      *cel.Env
	captured []string
	typed    typed
}

// NewCompiler makes a compiler that knows no captured names yet.
func NewCompiler() (*Compiler, error) {
	env, err := untypedEnv()
	return &Compiler{env: env, typed: typed{captured: map[string]*cel.Type{}}}, err
}

// untypedEnv is the environment in which expressions are evaluated: nothing is known of objects before.
var untypedEnv = sync.OnceValues(func() (*cel.Env, error) { return newEnv(func(v Variable) *cel.Type { return loose(v.typ) }) })

func newEnv(typeOf func(Variable) *cel.Type) (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.EnableMacroCallTracking(), // explanations show macros as they were written
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		ext.Strings(), ext.Lists(), ext.Sets(), ext.Math(), ext.Bindings(), ext.TwoVarComprehensions(),
	}
	for _, v := range Variables {
		options = append(options, cel.Variable(v.Name, typeOf(v)))
	}
	options = append(options, functions()...)
	options = append(options, namingFunctions()...)
	options = append(options, reachableFunction()...)
	options = append(options, sourcesFunction()...)
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, fmt.Errorf("make the CEL environment: %w", err)
	}
	return env, nil
}

// CaptureRE matches the names that captured values and traffic can have.
var CaptureRE = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`)

// Declare makes a captured name known to the expressions after it, whose values are of a type.
func (c *Compiler) Declare(name string, of Type) error {
	switch {
	case !CaptureRE.MatchString(name):
		return fmt.Errorf("invalid name %q of a captured value: must be letters, digits and '_', beginning with a letter", name)
	case name == namingVariable, slices.ContainsFunc(Variables, func(v Variable) bool { return v.Name == name }):
		return fmt.Errorf("%q is a part of the snapshot: a captured value needs another name", name)
	}
	c.typed.declare(name, of)
	if slices.Contains(c.captured, name) {
		return nil // captured again: the later value counts
	}
	env, err := c.env.Extend(cel.Variable(name, cel.DynType))
	if err != nil {
		return fmt.Errorf("invalid name %q of a captured value: %w", name, err)
	}
	c.env, c.captured = env, append(c.captured, name)
	return nil
}

// Expr is a compiled CEL expression.
type Expr struct {
	Source string
	// Type is what is known of the value.
	Type    Type
	env     *cel.Env
	AST     *cel.Ast
	program func() (cel.Program, error)
	// PlaceOf says where a line, from 1, and a column, from 0, of the source are in the file; nil when it is of no file.
	PlaceOf func(line, column int) string
	// zeros are what fields are that are left out.
	zeros zeros
	// reads are the variables that the expression reads.
	reads map[string]bool
}

// Compile checks source; its issues tell where in source they are.
func (c *Compiler) Compile(source string) (*Expr, []*common.Error) {
	if len(c.captured) > 0 {
		return c.compile(source)
	}
	if e, there := withoutCaptures.get(source); there {
		return e, nil
	}
	e, issues := c.compile(source)
	if len(issues) == 0 {
		withoutCaptures.put(*e)
	}
	return e, issues
}

// compile parses source once, because parsing takes longer than a check, and checks it in both environments. A check rewrites
// calls of functions with qualified names in what was parsed. Both environments have the same functions, so that the second check
// finds what it would have written.
func (c *Compiler) compile(source string) (*Expr, []*common.Error) {
	parsed, parsing := c.env.Parse(source)
	if parsing.Err() != nil {
		return nil, c.inOwnWords(parsing.Errors())
	}
	e, issues := checkIn(c.env, parsed, source)
	if len(issues) > 0 {
		return nil, c.inOwnWords(issues)
	}
	if e.Type, e.zeros, issues = c.typed.check(parsed); len(issues) > 0 {
		return nil, c.inOwnWords(issues)
	}
	if len(e.zeros) > 0 {
		e.program = sync.OnceValues(e.filledProgram)
	}
	return e, nil
}

// compileIn parses and checks source.
func compileIn(env *cel.Env, source string) (*Expr, []*common.Error) {
	parsed, issues := env.Parse(source)
	if issues.Err() != nil {
		return nil, issues.Errors()
	}
	return checkIn(env, parsed, source)
}

// checkIn checks a parsed expression. It makes the program when the expression is first evaluated: most expressions of the library
// never are in one run.
func checkIn(env *cel.Env, parsed *cel.Ast, source string) (*Expr, []*common.Error) {
	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		return nil, issues.Errors()
	}
	e := &Expr{Source: source, env: env, AST: checked, reads: map[string]bool{}}
	e.program = sync.OnceValues(func() (cel.Program, error) { return env.Program(checked) })
	ast.PostOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(func(n ast.Expr) {
		if n.Kind() == ast.IdentKind {
			e.reads[n.AsIdent()] = true
		}
	}))
	return e, nil
}

// filledProgram evaluates the expression with what is left out filled in.
func (e *Expr) filledProgram() (cel.Program, error) {
	text, err := newFiller(e.AST.NativeRep(), e.zeros).text(e.AST.NativeRep().Expr())
	if err != nil {
		return nil, err
	}
	filled, issues := compileIn(e.env, text)
	if len(issues) > 0 {
		return nil, fmt.Errorf("%s: %s", text, issues[0].Message)
	}
	return filled.program()
}

// ReadsAny reports whether the expression reads one of the variables.
func (e *Expr) ReadsAny(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return e.reads[n] })
}

// Eval returns the value of the expression in a snapshot.
func (e *Expr) Eval(s *observe.Snapshot) (ref.Val, error) {
	return e.eval(activationOf(s))
}

func (e *Expr) eval(vars any) (ref.Val, error) {
	program, err := e.program()
	if err != nil {
		return nil, fmt.Errorf("plan the expression: %w", err)
	}
	value, _, err := program.Eval(vars)
	return value, err
}

// Truth returns whether the expression is true. What a snapshot does not have
// (yet) makes it false, with a *missingError; any other error is a mistake in the expression.
func (e *Expr) Truth(s *observe.Snapshot) (bool, error) {
	value, err := e.Eval(s)
	if err != nil {
		return false, AsMissing(err)
	}
	yes, ok := value.Value().(bool)
	if !ok {
		return false, fmt.Errorf("the value is %s: %w", render(value), errNotBool)
	}
	return yes, nil
}

// missingError says that the snapshot lacks something that the expression reads.
type missingError struct{ what string }

func (e *missingError) Error() string { return e.what }

// AsMissing finds the errors of CEL that mean "not there". CEL has no types for them.
func AsMissing(err error) error {
	text := err.Error()
	for _, phrase := range []string{"no such key", "no such attribute", "index out of bounds", "index out of range", "optional.none() dereference"} {
		if strings.Contains(text, phrase) {
			return &missingError{text}
		}
	}
	return err
}

// IsMissing reports whether an error says that the snapshot lacks something that an expression reads.
func IsMissing(err error) bool {
	var missing *missingError
	return errors.As(err, &missing)
}
