package syntax

import (
	"regexp"

	"go.yaml.in/yaml/v3"
)

var parameterRE = regexp.MustCompile(`\$\{([a-zA-Z][a-zA-Z0-9_]*)\}`)

// substitution puts values in the place of ${name}. Other ${expressions} stay.
type substitution struct {
	d      *Decoder
	values map[string]*yaml.Node
	used   map[string]bool
}

func (d *Decoder) substitution(parameters []parameter, chosen []choice) *substitution {
	s := &substitution{d: d, values: map[string]*yaml.Node{}, used: map[string]bool{}}
	for _, p := range parameters {
		s.values[p.name] = p.value
	}
	for _, c := range chosen {
		s.values[c.parameter] = c.value
	}
	return s
}

// unused reports names that stand nowhere: most likely they are misspelt where they should.
func (s *substitution) unused(parameters []parameter, matrix []dimension) {
	report := func(name string, at *yaml.Node) {
		if !s.used[name] {
			s.d.Errorf(at, "%q is used nowhere: ${%s} stands for its value", name, name)
		}
	}
	for _, p := range parameters {
		report(p.name, p.at)
	}
	for _, m := range matrix {
		report(m.name, m.at)
	}
}

// scenario returns a document with the values in its spec.
func (s *substitution) scenario(document *yaml.Node) *yaml.Node {
	if len(s.values) == 0 {
		return document
	}
	return mapping(document, func(key string, value *yaml.Node) *yaml.Node {
		if key != "spec" || Resolve(value).Kind != yaml.MappingNode {
			return value
		}
		return mapping(value, func(key string, value *yaml.Node) *yaml.Node {
			if key == "parameters" || key == "matrix" {
				return value
			}
			return s.node(value)
		})
	})
}

// mapping copies a mapping with other values; anything else stays as it is.
func mapping(n *yaml.Node, each func(key string, value *yaml.Node) *yaml.Node) *yaml.Node {
	n = Resolve(n)
	if n.Kind != yaml.MappingNode {
		return n
	}
	other := *n
	other.Content = make([]*yaml.Node, len(n.Content))
	for i := 0; i+1 < len(n.Content); i += 2 {
		other.Content[i], other.Content[i+1] = n.Content[i], each(n.Content[i].Value, n.Content[i+1])
	}
	return &other
}

// node copies a value with what it stands for.
func (s *substitution) node(n *yaml.Node) *yaml.Node {
	switch n = Resolve(n); n.Kind {
	case yaml.MappingNode:
		return mapping(n, func(_ string, value *yaml.Node) *yaml.Node { return s.node(value) })
	case yaml.SequenceNode:
		other := *n
		other.Content = make([]*yaml.Node, len(n.Content))
		for i, item := range n.Content {
			other.Content[i] = s.node(item)
		}
		return &other
	default:
		return s.scalar(n)
	}
}

// scalar is a value of its own kind where ${name} is all there is, and a part of a text elsewhere.
func (s *substitution) scalar(n *yaml.Node) *yaml.Node {
	if m := parameterRE.FindStringSubmatch(n.Value); m != nil && m[0] == n.Value && s.values[m[1]] != nil {
		s.used[m[1]] = true
		value := *s.values[m[1]]
		value.Line, value.Column, value.Anchor = n.Line, n.Column, ""
		return &value
	}
	other, size, long := *n, len(n.Value), false
	other.Anchor = ""
	other.Value = parameterRE.ReplaceAllStringFunc(n.Value, func(found string) string {
		name := parameterRE.FindStringSubmatch(found)[1]
		value := s.values[name]
		if value == nil {
			return found
		}
		s.used[name] = true
		if value.Kind != yaml.ScalarNode {
			s.d.Errorf(n, "%s stands inside of a text, and its value is %s: want a plain value there", found, Describe(value))
			return found
		}
		if size += len(value.Value); size > mostText {
			long = true
			return found
		}
		return value.Value
	})
	if long {
		s.d.tooMuch(n, "the text has more than %d bytes with the values of its parameters", mostText)
	}
	return &other
}
