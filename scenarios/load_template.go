package scenarios

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// namespaceWord stands for the scenario's namespace in manifests and arguments.
const namespaceWord = "$NAMESPACE"

// template is a text with ${expression} in it.
type template struct {
	parts []templatePart
}

// templatePart is a piece of text, or an expression whose value goes there.
type templatePart struct {
	text string
	expr *Expr
}

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
		expr, issues := d.expr.compile(inner)
		for _, issue := range issues {
			d.errorf(n, "${%s}: %s", inner, celMessage(issue))
		}
		if expr != nil {
			t.parts = append(t.parts, templatePart{expr: expr})
		}
		source = after
	}
}

func (t *template) add(text string) {
	if text != "" {
		t.parts = append(t.parts, templatePart{text: text})
	}
}

// expand returns the text with the values in it.
func (t template) expand(s *Snapshot) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expr == nil {
			b.WriteString(strings.ReplaceAll(p.text, namespaceWord, s.namespace))
			continue
		}
		value, err := p.expr.eval(s)
		if err != nil {
			return "", fmt.Errorf("${%s}: %w", p.expr.Source, err)
		}
		if text, ok := value.Value().(string); ok {
			b.WriteString(text)
			continue
		}
		b.WriteString(render(value))
	}
	return b.String(), nil
}

// value returns the value itself when the template is one expression and nothing else, and the text otherwise.
func (t template) value(s *Snapshot) (any, error) {
	if len(t.parts) != 1 || t.parts[0].expr == nil {
		return t.expand(s)
	}
	value, err := t.parts[0].expr.eval(s)
	if err != nil {
		return nil, fmt.Errorf("${%s}: %w", t.parts[0].expr.Source, err)
	}
	return plain(value), nil
}

// source is the text as the file has it.
func (t template) source() string {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expr != nil {
			b.WriteString("${" + p.expr.Source + "}")
			continue
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// constant reports whether the text is the same whatever there is.
func (t template) constant() bool {
	for _, p := range t.parts {
		if p.expr != nil || strings.Contains(p.text, namespaceWord) {
			return false
		}
	}
	return true
}

// placeholder is the text with something harmless in the place of values, to check its syntax.
func (t template) placeholder() string {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expr != nil {
			b.WriteString("x")
			continue
		}
		b.WriteString(strings.ReplaceAll(p.text, namespaceWord, "x"))
	}
	return b.String()
}

// tree is a value of decoded YAML whose texts are templates.
type tree struct {
	scalar   any // a number, a boolean or nil
	template *template
	object   map[string]tree
	list     []tree
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

// expand returns the value with everything put in.
func (t tree) expand(s *Snapshot) (any, error) {
	switch {
	case t.template != nil:
		return t.template.value(s)
	case t.object != nil:
		return t.expandObject(s)
	case t.list != nil:
		items := make([]any, len(t.list))
		for i, item := range t.list {
			var err error
			if items[i], err = item.expand(s); err != nil {
				return nil, err
			}
		}
		return items, nil
	}
	return t.scalar, nil
}

func (t tree) expandObject(s *Snapshot) (map[string]any, error) {
	object := make(map[string]any, len(t.object))
	for key, value := range t.object {
		expanded, err := value.expand(s)
		if err != nil {
			return nil, err
		}
		object[key] = expanded
	}
	return object, nil
}

// sample is the value with something harmless in the place of what is put in, to check the rest.
func (t tree) sample() any {
	switch {
	case t.template != nil:
		return t.template.placeholder()
	case t.object != nil:
		object := make(map[string]any, len(t.object))
		for key, value := range t.object {
			object[key] = value.sample()
		}
		return object
	case t.list != nil:
		items := make([]any, len(t.list))
		for i, item := range t.list {
			items[i] = item.sample()
		}
		return items
	}
	return t.scalar
}
