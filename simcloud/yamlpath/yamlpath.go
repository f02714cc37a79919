// Package yamlpath finds in YAML what a path of a field, such as "effect.sequence[0].error", leads to.
package yamlpath

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Node finds what a path leads to in a value: the deepest node of the path that there is.
func Node(n *yaml.Node, path string) *yaml.Node {
	_, n, _ = follow(n, path)
	return n
}

// Line is the line in which the field stands that a path leads to, or the value that lacks the field; 0 where neither exists.
func Line(n *yaml.Node, path string) int {
	line, _, left := follow(n, path)
	if left > 1 {
		return 0
	}
	return line
}

// follow goes along a path as far as there is something. It returns the line of the key of what it has found, which may
// begin in the line after, and how many keys are left.
func follow(n *yaml.Node, path string) (line int, at *yaml.Node, left int) {
	keys := strings.Split(strings.ReplaceAll(path, "[", ".["), ".")
	line, n = n.Line, Resolve(n)
	for i, key := range keys {
		name, next := Child(n, key)
		if next == nil {
			return line, n, len(keys) - i
		}
		line, n = name.Line, Resolve(next)
	}
	return line, n, 0
}

// Child returns the key and the value that belong to a key, which can stand in brackets, or for an index such as "[0]" the
// item twice; nil when there is none. The value can be an alias.
func Child(n *yaml.Node, key string) (name, value *yaml.Node) {
	if n.Kind == yaml.SequenceNode {
		i, err := strconv.Atoi(strings.Trim(key, "[]"))
		if err != nil || i < 0 || i >= len(n.Content) {
			return nil, nil
		}
		return n.Content[i], n.Content[i]
	}
	if n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key || "["+n.Content[i].Value+"]" == key {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// Resolve returns what an alias stands for, and any other node itself.
func Resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
