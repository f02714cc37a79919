package oracle

import (
	"path"
	"reflect"
	"slices"
	"strings"
)

// mayWrite reports whether the CCM is meant to write all that it has changed. Nothing lets it delete what others own.
func (o *foreignOracle) mayWrite(f violation) bool {
	kind, _, _ := strings.Cut(f.Ref, "/")
	fields := f.fields()
	return len(fields) > 0 && !slices.ContainsFunc(fields, func(field string) bool { return !o.listed(kind, field) })
}

// listed reports whether the CCM is meant to write a field of a kind: the list has the kind, or the field.
func (o *foreignOracle) listed(kind, field string) bool {
	return slices.ContainsFunc(o.writes, func(pattern string) bool {
		whole, _ := path.Match(pattern, kind)
		part, _ := path.Match(pattern, kind+"."+field)
		return whole || part
	})
}

// fieldsOfParts are the fields that parts are in, by the first word of their keys.
var fieldsOfParts = map[string]string{"route": "routes", "listener": "listeners", "target": "targets", "rule": "rules", "group": "securityGroups"}

// fields are the fields of the resource that were changed; none when it was deleted.
func (v violation) fields() (changed []string) {
	if v.part != "" {
		word, _, _ := strings.Cut(v.part, " ")
		return []string{fieldsOfParts[word]}
	}
	if v.did != "changed" {
		return nil
	}
	before, _ := own(v.Variable, v.Before).(map[string]any)
	after, _ := own(v.Variable, v.After).(map[string]any)
	for _, resource := range []map[string]any{before, after} {
		for field := range resource {
			if !reflect.DeepEqual(before[field], after[field]) && !slices.Contains(changed, field) {
				changed = append(changed, field)
			}
		}
	}
	return changed
}
