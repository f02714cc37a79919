package expr

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// nodesByName are the Nodes, which can also be found by the names of their VMs.
func nodesByName(s *observe.Snapshot) any {
	nodes := s.Objects["nodes"]
	if !s.RenamesNodes() {
		return nodes
	}
	return nodeMap{types.DefaultTypeAdapter.NativeToValue(nodes).(traits.Mapper), s.NodeName}
}

// nodeMap is a map that is asked by names of Nodes or of VMs, and has those of Nodes.
type nodeMap struct {
	traits.Mapper
	nameOf func(string) string
}

func (m nodeMap) key(k ref.Val) ref.Val {
	if name, ok := k.Value().(string); ok {
		return types.String(m.nameOf(name))
	}
	return k
}

// Contains reports whether a Node exists.
func (m nodeMap) Contains(key ref.Val) ref.Val { return m.Mapper.Contains(m.key(key)) }

// Find returns a Node, if it exists.
func (m nodeMap) Find(key ref.Val) (ref.Val, bool) { return m.Mapper.Find(m.key(key)) }

// Get returns a Node, or the error of a key that does not exist.
func (m nodeMap) Get(key ref.Val) ref.Val {
	if node, found := m.Find(key); found {
		return node
	}
	return m.Mapper.Get(key)
}
