package expr

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// Keys are the texts by which an expression reads single values of a map that is a variable: "lost" in faults["lost"].hits.
func (e *Expr) Keys(variable string) (keys []string) {
	ast.PostOrderVisit(e.AST.NativeRep().Expr(), ast.NewExprVisitor(func(n ast.Expr) {
		switch {
		case n.Kind() == ast.SelectKind && isVariable(n.AsSelect().Operand(), variable):
			keys = append(keys, n.AsSelect().FieldName())
		case n.Kind() == ast.CallKind && n.AsCall().FunctionName() == operators.Index && isVariable(n.AsCall().Args()[0], variable):
			if by := n.AsCall().Args()[1]; by.Kind() == ast.LiteralKind {
				if key, isText := by.AsLiteral().Value().(string); isText {
					keys = append(keys, key)
				}
			}
		}
	}))
	return keys
}

func isVariable(n ast.Expr, name string) bool {
	return n.Kind() == ast.IdentKind && n.AsIdent() == name
}
