package syntax

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// budget is how many calls the CCM may make, by globs of operations.
type budget map[string]int

func (*budget) Schema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "integer", "minimum": 0}}
}

func (b *budget) Read(d *Decoder, n *yaml.Node, what string) {
	n = Resolve(n)
	if n.Kind != yaml.MappingNode {
		d.Errorf(n, "%s is %s: want a mapping of operations to numbers such as {GetInstance: 40}", what, Describe(n))
		return
	}
	*b = budget{}
	for i := 0; i < len(n.Content); i += 2 {
		key, limit := n.Content[i], 0
		if !slices.ContainsFunc(OperationNames(), func(name string) bool { return simcloud.Glob(key.Value, name) }) {
			d.Errorf(key, "the cloud has no operation that matches %q", key.Value)
		}
		if _, twice := (*b)[key.Value]; twice {
			d.Errorf(key, "%s has the key %q twice", what, key.Value)
		}
		d.Number(key.Value, &limit)(n.Content[i+1])
		(*b)[key.Value] = limit
	}
}

// OperationNames are the operations of the cloud that end.
func OperationNames() []string {
	var names []string
	for _, e := range simcloud.Endpoints() {
		if !IsStream(e.Operation) {
			names = append(names, e.Operation)
		}
	}
	return names
}

// IsStream reports whether the operation has no end.
func IsStream(operation string) bool {
	return strings.HasPrefix(operation, "Watch")
}
