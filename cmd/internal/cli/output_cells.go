package cli

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// resource is a pointer to a type that has a Meta.
type resource[T any] interface {
	*T
	GetMeta() *simcloud.Meta
}

// metaColumns puts the columns of what all resources have around those of one kind.
func metaColumns[T any, P resource[T]](own ...column[T]) table[T] {
	meta := func(name string, wide bool, value func(*simcloud.Meta) string) column[T] {
		return column[T]{name, wide, func(v T) string { return value(P(&v).GetMeta()) }}
	}
	columns := table[T]{
		meta("ID", false, func(m *simcloud.Meta) string { return string(m.ID) }),
		meta("NAME", false, func(m *simcloud.Meta) string { return m.Name }),
	}
	return append(append(columns, own...),
		meta("CREATED", true, func(m *simcloud.Meta) string { return timeCell(m.Created) }),
		meta("LABELS", true, func(m *simcloud.Meta) string { return labelCell(m.Labels) }),
	)
}

func timeCell(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// labelCell prints labels by their names.
func labelCell(labels map[string]string) string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, key+"="+labels[key])
	}
	return strings.Join(pairs, ",")
}

// addressCell prints the addresses of one scope.
func addressCell(addresses []simcloud.Address, scope simcloud.AddressScope) string {
	return joinCells(addresses, func(a simcloud.Address) string {
		if a.Scope != scope {
			return ""
		}
		return a.Address
	})
}

// joinCells prints a list within a cell; what is empty is left out.
func joinCells[T any](items []T, text func(T) string) string {
	var texts []string
	for _, item := range items {
		if t := text(item); t != "" {
			texts = append(texts, t)
		}
	}
	return strings.Join(texts, ",")
}

func attachmentCell(a simcloud.Attachment) string {
	if a.ID == "" {
		return ""
	}
	return simcloud.Ref(a.Kind, a.ID)
}

func idCell(id simcloud.ID) string { return string(id) }
