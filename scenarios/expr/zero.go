package expr

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The APIs of the cloud and of Kubernetes leave out a field that is false, 0 or empty. An expression that reads such a field
// reads that value: the types tell which. has() still tells whether the field is there.

// zero is what a field is that is left out, as JSON has it; nil where the API means something else by leaving it out.
type zero any

// zeroOf is that of a field of a Go type, by the options of its tag.
func zeroOf(t reflect.Type, options string) zero {
	if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
		return nil
	}
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		return nil // no time is not a time
	case reflect.TypeFor[[]byte]():
		return ""
	}
	switch t.Kind() {
	case reflect.Slice:
		return []any{}
	case reflect.Map:
		return map[string]any{}
	case reflect.Pointer, reflect.Interface:
		return nil // it is not set, and that is another thing than to be false, 0 or empty
	default:
		return marshalled(t)
	}
}

// marshalled is the zero value of a Go type as JSON has it; nil where that is null.
func marshalled(t reflect.Type) zero {
	raw, err := json.Marshal(reflect.Zero(t).Interface())
	if err != nil {
		return nil
	}
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		return map[string]any{} // its own fields are zero in their turn
	case float64:
		if t.Kind() != reflect.Float32 && t.Kind() != reflect.Float64 {
			return int64(v)
		}
	}
	return value
}

// literal is a zero as CEL.
func literalOf(fac ast.ExprFactory, id int64, z zero) ast.Expr {
	switch z.(type) {
	case []any:
		return fac.NewList(id, nil, nil)
	case map[string]any:
		return fac.NewMap(id, nil)
	default:
		return fac.NewLiteral(id, types.DefaultTypeAdapter.NativeToValue(z))
	}
}

// zeros are those of the selections of an expression, by their ids.
type zeros map[int64]zero

// zerosOf finds the selections of fields that may be left out.
func zerosOf(checked *cel.Ast) zeros {
	tree, found := checked.NativeRep(), zeros{}
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.SelectKind || e.AsSelect().IsTestOnly() {
			return
		}
		of := tree.GetType(e.AsSelect().Operand().ID())
		if of == nil || of.Kind() != types.StructKind {
			return
		}
		if z := known.zeroFor(of.TypeName(), e.AsSelect().FieldName()); z != nil {
			found[e.ID()] = z
		}
	}))
	return found
}

// filler writes expressions in which what is left out is filled in.
type filler struct {
	zeros zeros
	info  *ast.SourceInfo // with macros that are filled in too
	next  int64           // an id that no part has
	fac   ast.ExprFactory
}

func newFiller(tree *ast.AST, z zeros) *filler {
	f := &filler{zeros: z, info: tree.SourceInfo(), next: ast.MaxID(tree), fac: ast.NewExprFactory()}
	if len(z) == 0 {
		return f
	}
	f.info = ast.CopySourceInfo(tree.SourceInfo())
	for id, macro := range tree.SourceInfo().MacroCalls() {
		f.info.SetMacroCall(id, f.filled(macro))
	}
	return f
}

// text is a part as CEL, with x.?field.orValue(false) for an x.field that may be left out.
func (f *filler) text(e ast.Expr) (string, error) {
	return parser.Unparse(f.filled(e), f.info, parser.WrapOnColumn(longestLine))
}

// longestLine is where an expression is broken into lines: never, as expressions go.
const longestLine = 10000

// filled is a copy of a part.
func (f *filler) filled(e ast.Expr) ast.Expr {
	if len(f.zeros) == 0 {
		return e
	}
	whole := f.fac.CopyExpr(e)
	ast.PostOrderVisit(whole, ast.NewExprVisitor(func(e ast.Expr) {
		z, may := f.zeros[e.ID()]
		if !may || e.Kind() != ast.SelectKind {
			return
		}
		operand, name := e.AsSelect().Operand(), e.AsSelect().FieldName()
		optional := f.fac.NewCall(f.id(), operators.OptSelect, operand, f.fac.NewLiteral(f.id(), types.String(name)))
		e.SetKindCase(f.fac.NewMemberCall(f.id(), "orValue", optional, literalOf(f.fac, f.id(), z)))
	}))
	return whole
}

func (f *filler) id() int64 {
	f.next++
	return f.next
}

// zeroFor is what a field of a type is that is left out.
func (s *structs) zeroFor(of, field string) zero {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.zeros[of][field]
}
