package observe

import (
	"maps"
	"slices"
)

// KeyKind is what a key of an object is the key of.
type KeyKind string

// The kinds of keys.
const (
	TaintKey      KeyKind = "taint"
	LabelKey      KeyKind = "label"
	AnnotationKey KeyKind = "annotation"
)

// Keys notes the keys of all taints, labels and annotations that anything had at some moment of a run: objects of the
// cluster and resources of the cloud.
type Keys struct {
	NopObserver
	seen map[KeyKind]map[string]bool
}

// NewKeys makes an observer that has seen nothing yet.
func NewKeys() *Keys {
	return &Keys{seen: map[KeyKind]map[string]bool{TaintKey: {}, LabelKey: {}, AnnotationKey: {}}}
}

// ResourceChanged notes the labels of a resource of the cloud.
func (k *Keys) ResourceChanged(_, _ string, before, after map[string]any) {
	for _, resource := range []map[string]any{before, after} {
		k.note(LabelKey, resource["labels"])
	}
}

// ObjectChanged notes the keys of an object of the cluster.
func (k *Keys) ObjectChanged(_ *Snapshot, _ string, before, after map[string]any) {
	for _, object := range []map[string]any{before, after} {
		k.note(LabelKey, Dig(object, "metadata", "labels"))
		k.note(AnnotationKey, Dig(object, "metadata", "annotations"))
		for _, taint := range List(Dig(object, "spec", "taints")) {
			if key, ok := Dig(taint, "key").(string); ok {
				k.seen[TaintKey][key] = true
			}
		}
	}
}

func (k *Keys) note(kind KeyKind, of any) {
	keys, _ := of.(map[string]any)
	for key := range keys {
		k.seen[kind][key] = true
	}
}

// Had reports whether anything had a key.
func (k *Keys) Had(kind KeyKind, key string) bool { return k.seen[kind][key] }

// All are the keys of a kind, in order.
func (k *Keys) All(kind KeyKind) []string { return slices.Sorted(maps.Keys(k.seen[kind])) }
