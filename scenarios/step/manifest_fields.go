package step

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/simcloud-dev/simcloud/e2e/manifest"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// manifestMistake is what the API server would refuse in a manifest, or drop without a word.
type manifestMistake struct {
	at   *yaml.Node
	said string
	args []any
}

// manifestMistakes looks at an object by the types of Kubernetes. It says nothing about kinds that others define.
func manifestMistakes(object *yaml.Node) (found []manifestMistake) {
	n := syntax.Resolve(object)
	apiVersion, kind := syntax.ChildOf(n, "apiVersion"), syntax.ChildOf(n, "kind")
	if apiVersion == nil || kind == nil {
		return nil
	}
	if unknown := manifest.UnknownKind(apiVersion.Value, kind.Value); unknown != "" {
		return []manifestMistake{{kind, "%s", []any{unknown}}}
	}
	of, known := scheme.Scheme.AllKnownTypes()[schema.FromAPIVersionAndKind(apiVersion.Value, kind.Value)]
	if !known {
		return nil
	}
	walk(n, expr.TypeOf(of), func(m manifestMistake) { found = append(found, m) })
	return found
}

// walk reports the keys of a value that its type does not have.
func walk(n *yaml.Node, of expr.Type, report func(manifestMistake)) {
	n = syntax.Resolve(n)
	switch n.Kind {
	case yaml.MappingNode:
		fields := of.Fields()
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if len(fields) > 0 && !slices.Contains(fields, key.Value) && !strings.Contains(key.Value, "${") && key.Value != "<<" {
				report(manifestMistake{key, "%s has no field %q%s", []any{of, key.Value, words.Suggest(key.Value, fields)}})
				continue
			}
			walk(n.Content[i+1], of.Field(key.Value), report)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			walk(item, of.Element(), report)
		}
	default:
	}
}
