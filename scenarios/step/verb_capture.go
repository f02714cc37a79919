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
	Name:     "capture",
	Doc:      "gives values names that later steps use, in expressions as name and elsewhere as ${name}",
	Effect:   syntax.ReadOnly,
	Examples: []string{`{uid: 'services["web"].metadata.uid'}`},
	New:      func() syntax.Action { return &captureAction{} },
}

type captureAction struct {
	Values captures `yaml:",value"`
}

type captures []captured

type captured struct {
	name string
	expr *expr.Expr
}

func (*captures) Schema() map[string]any {
	return map[string]any{"type": "object", "minProperties": 1, "additionalProperties": syntax.CELSchema}
}

func (c *captures) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	n = syntax.Resolve(n)
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		d.Errorf(n, "%s is %s: want a mapping of names to expressions", what, syntax.Describe(n))
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		name := n.Content[i].Value
		value := d.Expression(n.Content[i+1], name)
		var of expr.Type
		if value != nil {
			of = value.Type
		}
		if err := d.Expr.Declare(name, of); err != nil {
			d.Errorf(n.Content[i], "%v", err)
		}
		*c = append(*c, captured{name, value})
	}
}

func (a *captureAction) Text() string {
	var names []string
	for _, v := range a.Values {
		names = append(names, v.name)
	}
	return strings.Join(names, ", ")
}

func (a *captureAction) run(_ context.Context, st *Stage) error {
	for _, v := range a.Values {
		s := st.Store.Snapshot()
		value, err := v.expr.Eval(s)
		if err != nil {
			return &ExpectationError{
				Headline: fmt.Sprintf("there is no value for %s", v.name),
				Parts:    expr.Explain(v.expr, s),
				Source:   v.expr.Source,
				last:     s,
				mistake:  expr.IsMistake(err), valueless: v.expr,
			}
		}
		st.Store.Capture(v.name, expr.Plain(value))
		st.answers[v.name], st.origins[v.name] = st.fixed(v.expr), st.originsOf(v.expr)
	}
	return nil
}
