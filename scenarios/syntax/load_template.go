package syntax

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
)

// Template reads a text with ${expression} in it.
func (d *Decoder) Template(n *yaml.Node, source string) expr.Template {
	var t expr.Template
	for {
		before, rest, found := strings.Cut(source, "${")
		t.Add(before)
		if !found {
			return t
		}
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			d.Errorf(n, "%q has a ${ without its }", "${"+oneLine(rest))
			return t
		}
		compiled, issues := d.Expr.Compile(inner)
		for _, issue := range issues {
			d.Errorf(n, "${%s}: %s", inner, issue.Message)
		}
		if compiled != nil {
			t.Parts = append(t.Parts, expr.TemplatePart{Expr: compiled})
		}
		source = after
	}
}

// Tree reads any YAML value.
func (d *Decoder) Tree(n *yaml.Node) expr.Tree {
	n = Resolve(n)
	switch {
	case n.Kind == yaml.MappingNode:
		t := expr.Tree{Object: map[string]expr.Tree{}}
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if _, twice := t.Object[key]; twice {
				d.Errorf(n.Content[i], "the key %q is there twice", key)
			}
			t.Object[key] = d.Tree(n.Content[i+1])
		}
		return t
	case n.Kind == yaml.SequenceNode:
		t := expr.Tree{List: []expr.Tree{}}
		for _, item := range n.Content {
			t.List = append(t.List, d.Tree(item))
		}
		return t
	case n.Tag == "!!str":
		text := d.Template(n, n.Value)
		return expr.Tree{Template: &text}
	}
	var scalar any
	if err := n.Decode(&scalar); err != nil {
		d.Errorf(n, "%v", err)
	}
	return expr.Tree{Scalar: scalar}
}

// TemplateText reads a text with ${expression} in it.
func (d *Decoder) TemplateText(n *yaml.Node, what string, into *expr.Template) {
	if text, ok := d.ReadText(n, what); ok {
		*into = d.Template(n, text)
	}
}
