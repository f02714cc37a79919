package core

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// DiffSnapshot says what has changed from a snapshot to another one, or to the cloud as it is now.
func (c *Cloud) DiffSnapshot(ctx context.Context, name simcloud.ID, against string) (simcloud.SnapshotDiff, error) {
	if err := admit(ctx, request{admin: true}); err != nil {
		return simcloud.SnapshotDiff{}, err
	}
	if err := c.alone(ctx, "DiffSnapshot"); err != nil {
		return simcloud.SnapshotDiff{}, err
	}
	c.saving.RLock()
	defer c.saving.RUnlock()
	var from, to []store.Object
	if err := c.openSnapshot(string(name), objectsInto(&from)); err != nil {
		return simcloud.SnapshotDiff{}, err
	}
	var err error
	if against == "" {
		err = c.view(ctx, func(tx *store.Tx, _ simcloud.Caller) error { return objectsInto(&to)(tx) })
	} else {
		err = c.openSnapshot(against, objectsInto(&to))
	}
	if err != nil {
		return simcloud.SnapshotDiff{}, err
	}
	changes, err := difference(from, to)
	return simcloud.SnapshotDiff{From: string(name), To: against, Changes: changes}, err
}

func objectsInto(objects *[]store.Object) func(*store.Tx) error {
	return func(tx *store.Tx) (err error) {
		*objects, err = tx.Objects()
		return err
	}
}

// difference compares two states. Operations are not part of it: what they do
// to resources is.
func difference(from, to []store.Object) ([]simcloud.SnapshotChange, error) {
	before, after := byRef(from), byRef(to)
	changes := []simcloud.SnapshotChange{}
	for _, ref := range refsOf(from, to) {
		was, had := before[ref]
		is, has := after[ref]
		change := simcloud.SnapshotChange{Resource: simcloud.Ref(ref.Kind, ref.ID)}
		a, err := decodeObject(was, had)
		if err != nil {
			return nil, err
		}
		b, err := decodeObject(is, has)
		if err != nil {
			return nil, err
		}
		switch {
		case !had:
			change.Type, change.Name = simcloud.Created, nameIn(b)
		case !has:
			change.Type, change.Name = simcloud.Deleted, nameIn(a)
		default:
			change.Type, change.Name, change.Fields = simcloud.Updated, nameIn(b), fieldsThatDiffer(a, b)
			if len(change.Fields) == 0 {
				continue
			}
		}
		changes = append(changes, change)
	}
	return changes, nil
}

func byRef(objects []store.Object) map[store.Ref]json.RawMessage {
	found := map[store.Ref]json.RawMessage{}
	for _, o := range objects {
		if o.Kind != simcloud.KindOperation {
			found[o.Ref] = o.Raw
		}
	}
	return found
}

// refsOf returns what is in either state, in the order of kinds and then of ids.
func refsOf(from, to []store.Object) []store.Ref {
	kinds, refs := map[simcloud.Kind]int{}, []store.Ref{}
	for _, o := range slices.Concat(from, to) {
		if o.Kind != simcloud.KindOperation {
			refs = append(refs, o.Ref)
		}
	}
	for i, kind := range resourceKinds() {
		kinds[kind.Kind()] = i
	}
	slices.SortFunc(refs, func(a, b store.Ref) int {
		return cmp.Or(cmp.Compare(kinds[a.Kind], kinds[b.Kind]), cmp.Compare(a.Kind, b.Kind), compareIDs(a.ID, b.ID))
	})
	return slices.Compact(refs)
}

// compareIDs orders "i-9" before "i-10".
func compareIDs(a, b simcloud.ID) int {
	prefixA, _, _ := strings.Cut(string(a), "-")
	prefixB, _, _ := strings.Cut(string(b), "-")
	n, okA := numberOf(a)
	m, okB := numberOf(b)
	if prefixA == prefixB && okA && okB {
		return cmp.Compare(n, m)
	}
	return cmp.Compare(a, b)
}

func decodeObject(raw json.RawMessage, there bool) (map[string]any, error) {
	fields := map[string]any{}
	if !there {
		return fields, nil
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	for _, always := range []string{"version", "updated", "used"} {
		delete(fields, always)
	}
	return fields, nil
}

func nameIn(fields map[string]any) string {
	name, _ := fields["name"].(string)
	return name
}
