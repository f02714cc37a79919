package scenarios

import (
	"fmt"
	"strings"
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
