package scenarios

import (
	"context"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"go.yaml.in/yaml/v3"
)

var captureVerb = verb{
	name:   "capture",
	doc:    "gives values names that later steps use, in expressions as name and elsewhere as ${name}",
	schema: map[string]any{"type": "object", "minProperties": 1, "additionalProperties": celSchema},
	parse: func(d *decoder) parsed {
		a := &captureAction{}
		return parsed{action: a, decode: func(n *yaml.Node) { readCaptures(d, n, a) }, text: a.text}
	},
}

type captured struct {
	name string
	expr *expr.Expr
}

type captureAction struct{ values []captured }

func readCaptures(d *decoder, n *yaml.Node, a *captureAction) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		d.errorf(n, "capture is %s: a mapping of names to expressions is right", describe(n))
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		name := n.Content[i].Value
		expr := d.expression(n.Content[i+1], name)
		if err := d.expr.Declare(name); err != nil {
			d.errorf(n.Content[i], "%v", err)
		}
		a.values = append(a.values, captured{name, expr})
	}
}

func (a *captureAction) text() string {
	var names []string
	for _, v := range a.values {
		names = append(names, v.name)
	}
	return strings.Join(names, ", ")
}

func (a *captureAction) run(_ context.Context, st *stage) error {
	for _, v := range a.values {
		s := st.store.Snapshot()
		value, err := v.expr.Eval(s)
		if err != nil {
			return &expectationError{
				headline: fmt.Sprintf("there is no value for %s", v.name),
				parts:    expr.Explain(v.expr, s),
				source:   v.expr.Source,
				last:     s,
			}
		}
		st.store.Capture(v.name, expr.Plain(value))
	}
	return nil
}
