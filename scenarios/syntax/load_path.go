package syntax

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// NodeAt finds what a path such as "effect.sequence[0].error" leads to in a
// value: the deepest node of the path that there is.
func NodeAt(n *yaml.Node, path string) *yaml.Node {
	n = Resolve(n)
	for _, key := range strings.Split(strings.ReplaceAll(path, "[", ".["), ".") {
		next := childAt(n, key)
		if next == nil {
			break
		}
		n = Resolve(next)
	}
	return n
}

// childAt returns the value of a key, or the item of an index such as "[0]"; nil when there is none.
func childAt(n *yaml.Node, key string) *yaml.Node {
	if n.Kind == yaml.SequenceNode {
		i, err := strconv.Atoi(strings.Trim(key, "[]"))
		if err != nil || i < 0 || i >= len(n.Content) {
			return nil
		}
		return n.Content[i]
	}
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
