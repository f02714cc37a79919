package scenarios

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func budgetSchema() map[string]any {
	return map[string]any{
		"type": "object", "additionalProperties": map[string]any{"type": "integer", "minimum": 0},
		"description": "how many calls the CCM may make, by operations or globs of such; the longest that matches counts",
	}
}

// budget reads how many calls the CCM may make.
func (d *decoder) budget(n *yaml.Node, s *Scenario) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		d.errorf(n, "budget is %s: a mapping of operations to numbers such as {GetInstance: 40} is right", describe(n))
		return
	}
	s.Budget = map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key, limit := n.Content[i], 0
		if !slices.ContainsFunc(operationNames(), func(name string) bool { return simcloud.Glob(key.Value, name) }) {
			d.errorf(key, "the cloud has no operation that matches %q", key.Value)
		}
		if _, twice := s.Budget[key.Value]; twice {
			d.errorf(key, "budget has the key %q twice", key.Value)
		}
		d.number(key.Value, &limit)(n.Content[i+1])
		s.Budget[key.Value] = limit
	}
}
