package syntax

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
)

// Expression compiles a CEL expression of the file. Its mistakes are reported
// where they are in the file.
func (d *Decoder) Expression(n *yaml.Node, what string) *expr.Expr {
	source, ok := d.ReadText(n, what)
	if !ok {
		return nil
	}
	if found := parameterRE.FindString(source); found != "" {
		d.Errorf(n, "%s in %s stands for no parameter; what is captured has its plain name in an expression", found, what)
		return nil
	}
	expr, issues := d.Expr.Compile(source)
	for _, issue := range issues {
		d.issue(Resolve(n), issue)
	}
	return expr
}

// TruthExpression compiles an expression that is true or false.
func (d *Decoder) TruthExpression(n *yaml.Node, what string) *expr.Expr {
	expr := d.Expression(n, what)
	if expr == nil {
		return nil
	}
	if t := expr.AST.OutputType(); !t.IsEquivalentType(cel.BoolType) && !t.IsEquivalentType(cel.DynType) {
		d.Errorf(n, "%s is of type %s: want an expression that is true or false", what, t)
		return nil
	}
	return expr
}

// issue reports a mistake in an expression with its line and column in the file.
func (d *Decoder) issue(n *yaml.Node, issue *common.Error) {
	at := d.Pos(n)
	line, column := issue.Location.Line(), issue.Location.Column()
	if line < 1 {
		d.ErrorAt(at, "%s", celMessage(issue))
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
	d.ErrorAt(at, "%s", celMessage(issue))
}

// celMessage is what CEL says, without its own terms for places that this package does not have.
func celMessage(issue *common.Error) string {
	return strings.TrimSpace(strings.ReplaceAll(issue.Message, " (in container '')", ""))
}

// indent is the number of spaces that a line of the file begins with.
func (d *Decoder) indent(line int) int {
	if line < 1 || line > len(d.lines) {
		return 0
	}
	text := d.lines[line-1]
	return len(text) - len(strings.TrimLeft(text, " "))
}

// Capture is the name for a value, which the steps after this one know.
type Capture string

// Schema is a part of [Value].
func (*Capture) Schema() map[string]any { return StringSchema }

// Read is a part of [Value].
func (c *Capture) Read(d *Decoder, n *yaml.Node, what string) {
	name, ok := d.ReadText(n, what)
	if !ok {
		return
	}
	*c = Capture(name)
	if err := d.Expr.Declare(name); err != nil {
		d.Errorf(n, "%v", err)
	}
}
