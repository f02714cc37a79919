package scenarios

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"go.yaml.in/yaml/v3"
)

// expression compiles a CEL expression of the file. Its mistakes are reported
// where they are in the file.
func (d *decoder) expression(n *yaml.Node, what string) *expr.Expr {
	var source string
	before := len(d.errs)
	if d.text(what, &source)(n); len(d.errs) > before {
		return nil
	}
	if found := parameterRE.FindString(source); found != "" {
		d.errorf(n, "%s in %s stands for no parameter; what is captured has its plain name in an expression", found, what)
		return nil
	}
	expr, issues := d.expr.Compile(source)
	for _, issue := range issues {
		d.issue(resolve(n), issue)
	}
	return expr
}

// truthExpression compiles an expression that is true or false.
func (d *decoder) truthExpression(n *yaml.Node, what string) *expr.Expr {
	expr := d.expression(n, what)
	if expr == nil {
		return nil
	}
	if t := expr.AST.OutputType(); !t.IsEquivalentType(cel.BoolType) && !t.IsEquivalentType(cel.DynType) {
		d.errorf(n, "%s is of type %s: an expression that is true or false is right", what, t)
		return nil
	}
	return expr
}

// issue reports a mistake in an expression with its line and column in the file.
func (d *decoder) issue(n *yaml.Node, issue *common.Error) {
	at := d.pos(n)
	line, column := issue.Location.Line(), issue.Location.Column()
	if line < 1 {
		d.errorAt(at, "%s", celMessage(issue))
		return
	}
	switch n.Style {
	case yaml.LiteralStyle:
		at.Line += line
		at.Column = d.indent(at.Line) + column + 1
	case yaml.FoldedStyle: // its lines are joined: the column leads nowhere
		at.Line, at.Column = at.Line+1, 0
	case yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle:
		at.Column += column + 1
	default:
		at.Column += column
	}
	d.errorAt(at, "%s", celMessage(issue))
}

// celMessage is what CEL says, without its own terms for places that this package does not have.
func celMessage(issue *common.Error) string {
	return strings.TrimSpace(strings.ReplaceAll(issue.Message, " (in container '')", ""))
}

// indent is the number of spaces that a line of the file begins with.
func (d *decoder) indent(line int) int {
	if line < 1 || line > len(d.lines) {
		return 0
	}
	text := d.lines[line-1]
	return len(text) - len(strings.TrimLeft(text, " "))
}

// captureName reads a name and makes it known to the steps after this one.
func (d *decoder) captureName(into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		before := len(d.errs)
		if d.text("capture", into)(n); len(d.errs) > before {
			return
		}
		if err := d.expr.Declare(*into); err != nil {
			d.errorf(n, "%v", err)
		}
	}
}
