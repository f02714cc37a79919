package syntax

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/words"
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
	if expr != nil {
		here := Decoder{File: d.File, lines: d.lines} // d goes on to other files
		expr.PlaceOf = func(line, column int) string { return here.placeIn(Resolve(n), line, column).String() }
		d.checkNames(n, expr)
	}
	return expr
}

// checkNames reports names of fault rules and of traffic that no step has made.
func (d *Decoder) checkNames(n *yaml.Node, e *expr.Expr) {
	for _, c := range []struct {
		variable, want string
		known          []string
	}{
		{"faults", "no step before this one adds a fault %q%s", d.Faults},
		{"traffic", "no step before this one starts a traffic %q%s", d.Traffics},
	} {
		for _, key := range e.Keys(c.variable) {
			if !slices.Contains(c.known, key) {
				d.Errorf(n, c.want, key, words.Suggest(key, c.known))
			}
		}
	}
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
	d.ErrorAt(d.placeIn(n, issue.Location.Line(), issue.Location.Column()), "%s", issue.Message)
}

// placeIn is where a line, from 1, and a column, from 0, of a text are in the file; a line below that is of no place in it.
func (d *Decoder) placeIn(n *yaml.Node, line, column int) scenarios.Position {
	at := d.Pos(n)
	if line < 1 {
		return at
	}
	switch n.Style {
	case yaml.LiteralStyle:
		at.Line += line
		at.Column = d.Indent(at.Line) + column + 1
	case yaml.FoldedStyle: // its lines are joined: the column leads nowhere
		at.Line, at.Column = at.Line+1, 0
	case yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle:
		at.Column += column + 1
	default:
		at.Column += column
	}
	return at
}

// Indent is the number of spaces that a line of the file begins with.
func (d *Decoder) Indent(line int) int {
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

// Capturing is an action whose answer can be captured, and of which it is known what the answer has.
type Capturing interface {
	// CaptureType is the type of the answer. It is asked when all is read that has no option late.
	CaptureType() expr.Type
}

// captured is the type of what the step that is read captures.
func (d *Decoder) captured() expr.Type {
	if d.capturing == nil {
		return expr.Type{}
	}
	return d.capturing.CaptureType()
}

// Read is a part of [Value].
func (c *Capture) Read(d *Decoder, n *yaml.Node, what string) {
	name, ok := d.ReadText(n, what)
	if !ok {
		return
	}
	*c = Capture(name)
	if err := d.Expr.Declare(name, d.captured()); err != nil {
		d.Errorf(n, "%v", err)
	}
}
