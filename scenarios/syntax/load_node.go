package syntax

import (
	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/simcloud/yamlpath"
)

// NodeAt finds what a path such as "effect.sequence[0].error" leads to in a
// value: the deepest node of the path that there is.
func NodeAt(n *yaml.Node, path string) *yaml.Node { return yamlpath.Node(n, path) }

// ChildOf is the value of a key of a mapping; nil when there is none.
func ChildOf(n *yaml.Node, key string) *yaml.Node {
	if n == nil {
		return nil
	}
	if n = Resolve(n); n.Kind != yaml.MappingNode {
		return nil
	}
	if _, child := yamlpath.Child(n, key); child != nil {
		return Resolve(child)
	}
	return nil
}

// mostNodes is how many values a document may have when each alias is put in the place of what it stands for.
const mostNodes = 100_000

// bounded reports an alias that is inside of what it stands for, and a
// document that a few aliases make too large: following them to their end would take too long.
func (d *Decoder) bounded(document *yaml.Node) bool {
	inside, left := map[*yaml.Node]bool{}, mostNodes
	var walk func(n *yaml.Node) bool
	walk = func(n *yaml.Node) bool {
		value := Resolve(n)
		left--
		switch {
		case inside[value]:
			d.Errorf(n, "*%s stands inside of what it stands for", n.Value)
			return false
		case left < 0:
			d.Errorf(n, "the document has more than %d values, with each alias as what it stands for", mostNodes)
			return false
		}
		inside[value] = true
		defer delete(inside, value)
		for _, child := range value.Content {
			if !walk(child) {
				return false
			}
		}
		return true
	}
	return walk(document)
}
