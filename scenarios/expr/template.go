package expr

import (
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// namespaceWord stands for the scenario's namespace in manifests and arguments.
const namespaceWord = "$NAMESPACE"

// Template is a text with ${expression} in it.
type Template struct {
	Parts []TemplatePart
}

// TemplatePart is a piece of text, or an expression whose value goes there.
type TemplatePart struct {
	Text string
	Expr *Expr
}

// Add appends a piece of text to the template.
func (t *Template) Add(text string) {
	if text != "" {
		t.Parts = append(t.Parts, TemplatePart{Text: text})
	}
}

// Expand returns the text with the values in it.
func (t Template) Expand(s *observe.Snapshot) (string, error) {
	var b strings.Builder
	for _, p := range t.Parts {
		if p.Expr == nil {
			b.WriteString(strings.ReplaceAll(p.Text, namespaceWord, s.Namespace))
			continue
		}
		value, err := p.Expr.Eval(s)
		if err != nil {
			return "", &EvalError{p.Expr, err}
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
func (t Template) value(s *observe.Snapshot) (any, error) {
	if len(t.Parts) != 1 || t.Parts[0].Expr == nil {
		return t.Expand(s)
	}
	value, err := t.Parts[0].Expr.Eval(s)
	if err != nil {
		return nil, &EvalError{t.Parts[0].Expr, err}
	}
	return Plain(value), nil
}

// Source is the text as the file has it.
func (t Template) Source() string {
	var b strings.Builder
	for _, p := range t.Parts {
		if p.Expr != nil {
			b.WriteString("${" + p.Expr.Source + "}")
			continue
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// Constant reports whether the text is the same whatever there is.
func (t Template) Constant() bool {
	for _, p := range t.Parts {
		if p.Expr != nil || strings.Contains(p.Text, namespaceWord) {
			return false
		}
	}
	return true
}

// Placeholder is the text with something harmless in the place of values, to check its syntax.
func (t Template) Placeholder() string {
	var b strings.Builder
	for _, p := range t.Parts {
		if p.Expr != nil {
			b.WriteString("x")
			continue
		}
		b.WriteString(strings.ReplaceAll(p.Text, namespaceWord, "x"))
	}
	return b.String()
}

// Tree is a value of decoded YAML whose texts are templates.
type Tree struct {
	Scalar   any // a number, a boolean or nil
	Template *Template
	Object   map[string]Tree
	List     []Tree
}

// Expand returns the value with everything put in.
func (t Tree) Expand(s *observe.Snapshot) (any, error) {
	switch {
	case t.Template != nil:
		return t.Template.value(s)
	case t.Object != nil:
		return t.ExpandObject(s)
	case t.List != nil:
		items := make([]any, len(t.List))
		for i, item := range t.List {
			var err error
			if items[i], err = item.Expand(s); err != nil {
				return nil, err
			}
		}
		return items, nil
	}
	return t.Scalar, nil
}

// ExpandObject is [Tree.Expand] for a mapping.
func (t Tree) ExpandObject(s *observe.Snapshot) (map[string]any, error) {
	object := make(map[string]any, len(t.Object))
	for key, value := range t.Object {
		expanded, err := value.Expand(s)
		if err != nil {
			return nil, err
		}
		object[key] = expanded
	}
	return object, nil
}

// Sample is the value with something harmless in the place of what is put in, to check the rest.
func (t Tree) Sample() any {
	switch {
	case t.Template != nil:
		return t.Template.Placeholder()
	case t.Object != nil:
		object := make(map[string]any, len(t.Object))
		for key, value := range t.Object {
			object[key] = value.Sample()
		}
		return object
	case t.List != nil:
		items := make([]any, len(t.List))
		for i, item := range t.List {
			items[i] = item.Sample()
		}
		return items
	}
	return t.Scalar
}
