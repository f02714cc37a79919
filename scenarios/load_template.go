package scenarios

import (
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"go.yaml.in/yaml/v3"
)

// template reads a text with ${expression} in it.
func (d *decoder) template(n *yaml.Node, source string) expr.Template {
	var t expr.Template
	for {
		before, rest, found := strings.Cut(source, "${")
		t.Add(before)
		if !found {
			return t
		}
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			d.errorf(n, "%q has a ${ without its }", "${"+oneLine(rest))
			return t
		}
		compiled, issues := d.expr.Compile(inner)
		for _, issue := range issues {
			d.errorf(n, "${%s}: %s", inner, celMessage(issue))
		}
		if compiled != nil {
			t.Parts = append(t.Parts, expr.TemplatePart{Expr: compiled})
		}
		source = after
	}
}

// tree reads any YAML value.
func (d *decoder) tree(n *yaml.Node) expr.Tree {
	n = resolve(n)
	switch {
	case n.Kind == yaml.MappingNode:
		t := expr.Tree{Object: map[string]expr.Tree{}}
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if _, twice := t.Object[key]; twice {
				d.errorf(n.Content[i], "the key %q is there twice", key)
			}
			t.Object[key] = d.tree(n.Content[i+1])
		}
		return t
	case n.Kind == yaml.SequenceNode:
		t := expr.Tree{List: []expr.Tree{}}
		for _, item := range n.Content {
			t.List = append(t.List, d.tree(item))
		}
		return t
	case n.Tag == "!!str":
		text := d.template(n, n.Value)
		return expr.Tree{Template: &text}
	}
	var scalar any
	if err := n.Decode(&scalar); err != nil {
		d.errorf(n, "%v", err)
	}
	return expr.Tree{Scalar: scalar}
}

// templateText reads a text with ${expression} in it.
func (d *decoder) templateText(n *yaml.Node, what string, into *expr.Template) {
	var text string
	before := len(d.errs)
	if d.text(what, &text)(n); len(d.errs) > before {
		return
	}
	*into = d.template(n, text)
}
