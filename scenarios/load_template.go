package scenarios

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// template reads a text with ${expression} in it.
func (d *decoder) template(n *yaml.Node, source string) template {
	var t template
	for {
		before, rest, found := strings.Cut(source, "${")
		t.add(before)
		if !found {
			return t
		}
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			d.errorf(n, "%q has a ${ without its }", "${"+oneLine(rest))
			return t
		}
		compiled, issues := d.expr.compile(inner)
		for _, issue := range issues {
			d.errorf(n, "${%s}: %s", inner, celMessage(issue))
		}
		if compiled != nil {
			t.parts = append(t.parts, templatePart{expr: compiled})
		}
		source = after
	}
}

// tree reads any YAML value.
func (d *decoder) tree(n *yaml.Node) tree {
	n = resolve(n)
	switch {
	case n.Kind == yaml.MappingNode:
		t := tree{object: map[string]tree{}}
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if _, twice := t.object[key]; twice {
				d.errorf(n.Content[i], "the key %q is there twice", key)
			}
			t.object[key] = d.tree(n.Content[i+1])
		}
		return t
	case n.Kind == yaml.SequenceNode:
		t := tree{list: []tree{}}
		for _, item := range n.Content {
			t.list = append(t.list, d.tree(item))
		}
		return t
	case n.Tag == "!!str":
		text := d.template(n, n.Value)
		return tree{template: &text}
	}
	var scalar any
	if err := n.Decode(&scalar); err != nil {
		d.errorf(n, "%v", err)
	}
	return tree{scalar: scalar}
}

// templateText reads a text with ${expression} in it.
func (d *decoder) templateText(n *yaml.Node, what string, into *template) {
	var text string
	before := len(d.errs)
	if d.text(what, &text)(n); len(d.errs) > before {
		return
	}
	*into = d.template(n, text)
}
