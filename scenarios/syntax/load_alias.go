package syntax

import (
	"go.yaml.in/yaml/v3"
)

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
