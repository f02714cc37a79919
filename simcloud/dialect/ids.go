package dialect

import (
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// IDs is how a dialect shows the ids of the cloud's resources: the one mapping that the journal, oracles and expressions
// go by. A kind without a form has the cloud's own ids. Of several forms of a kind, resources are shown in the first.
type IDs []IDForm

// IDForm is a way to write the ids of the resources of a kind.
type IDForm struct {
	Kind simcloud.Kind
	// Show writes an id; nil for a form that is only read, because it is about a part of the resource, or needs more than the id.
	Show func(simcloud.ID) string
	// Read returns the id that a text stands for; empty for a text of another form. Nil: only the ids of resources tell
	// which of them a text stands for.
	Read func(text string) simcloud.ID
	// Keys are how the keys of annotations end whose values may be such ids, such as "/id"; none: those of all. Numbers have
	// them, because most numbers in annotations are something else.
	Keys []string
}

// Shown is the id that clients know a resource by.
func (ids IDs) Shown(kind simcloud.Kind, id simcloud.ID) string {
	for _, form := range ids {
		if form.Kind == kind && form.Show != nil {
			return form.Show(id)
		}
	}
	return string(id)
}

// ID is the id in the cloud of what clients know by a text; empty for a text of another form. The cloud's own id is
// one where the kind has no form that is shown.
func (ids IDs) ID(kind simcloud.Kind, text string) simcloud.ID {
	own := true
	for _, form := range ids {
		if form.Kind != kind {
			continue
		}
		own = own && form.Show == nil
		if form.Read == nil {
			continue
		}
		if id := form.Read(text); id != "" {
			return id
		}
	}
	if own {
		return simcloud.ID(text)
	}
	return ""
}

// Are reports whether a text stands for a resource.
func (ids IDs) Are(kind simcloud.Kind, id simcloud.ID, text string) bool {
	return text != "" && (ids.ID(kind, text) == id || ids.Shown(kind, id) == text)
}

// Names reports whether the value of an annotation with a key has a word for a resource.
func (ids IDs) Names(kind simcloud.Kind, id simcloud.ID, key, word string) bool {
	return ids.Are(kind, id, word) && !slices.ContainsFunc(ids, func(f IDForm) bool {
		return f.Kind == kind && len(f.Keys) > 0 && !slices.ContainsFunc(f.Keys, func(end string) bool { return strings.HasSuffix(key, end) })
	})
}
