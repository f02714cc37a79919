package core

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// parseSelector divides a label selector into what the index answers and what
// has to be asked of each resource that the index finds.
func parseSelector(selector string) (matches []store.Match, rest []labels.Requirement, err error) {
	if selector == "" {
		return nil, nil, nil
	}
	parsed, err := labels.Parse(selector)
	if err != nil {
		return nil, nil, invalid("", "selector", "%q is not a label selector: %v", selector, err)
	}
	requirements, _ := parsed.Requirements()
	for _, r := range requirements {
		switch r.Operator() {
		case selection.Equals, selection.DoubleEquals, selection.In:
			matches = append(matches, store.Match{Key: r.Key(), Values: r.ValuesUnsorted()})
		case selection.Exists:
			matches = append(matches, store.Match{Key: r.Key()})
		case selection.GreaterThan, selection.LessThan:
			matches = append(matches, store.Match{Key: r.Key()})
			rest = append(rest, r)
		case selection.NotEquals, selection.NotIn, selection.DoesNotExist:
			rest = append(rest, r)
		}
	}
	return matches, rest, nil
}

// keep returns what the requirements say of a resource; nil when there are none.
func keep[T any, P store.Resource[T]](requirements []labels.Requirement) func(*T) bool {
	if len(requirements) == 0 {
		return nil
	}
	return func(v *T) bool {
		set := labels.Set(P(v).GetMeta().Labels)
		for _, r := range requirements {
			if !r.Matches(set) {
				return false
			}
		}
		return true
	}
}

// noStates is for kinds without a state.
var noStates []simcloud.ZoneState
