package step

import (
	"context"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var captureVerb = syntax.Verb{
	Name:   "capture",
	Doc:    "gives values names that later steps use, in expressions as name and elsewhere as ${name}",
	Schema: map[string]any{"type": "object", "minProperties": 1, "additionalProperties": syntax.CELSchema},
	Parse: func(d *syntax.Decoder) syntax.Parsed {
		a := &captureAction{}
		return syntax.Parsed{Action: a, Decode: func(n *yaml.Node) { readCaptures(d, n, a) }, Text: a.Text}
	},
}

type captured struct {
	name string
	expr *expr.Expr
}

type captureAction struct{ values []captured }

func readCaptures(d *syntax.Decoder, n *yaml.Node, a *captureAction) {
	n = syntax.Resolve(n)
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		d.Errorf(n, "capture is %s: a mapping of names to expressions is right", syntax.Describe(n))
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		name := n.Content[i].Value
		expr := d.Expression(n.Content[i+1], name)
		if err := d.Expr.Declare(name); err != nil {
			d.Errorf(n.Content[i], "%v", err)
		}
		a.values = append(a.values, captured{name, expr})
	}
}

func (a *captureAction) Text() string {
	var names []string
	for _, v := range a.values {
		names = append(names, v.name)
	}
	return strings.Join(names, ", ")
}

func (a *captureAction) run(_ context.Context, st *Stage) error {
	for _, v := range a.values {
		s := st.Store.Snapshot()
		value, err := v.expr.Eval(s)
		if err != nil {
			return &ExpectationError{
				Headline: fmt.Sprintf("there is no value for %s", v.name),
				Parts:    expr.Explain(v.expr, s),
				Source:   v.expr.Source,
				last:     s,
			}
		}
		st.Store.Capture(v.name, expr.Plain(value))
	}
	return nil
}
