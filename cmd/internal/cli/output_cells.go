package cli

import (
	"encoding/json"
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
		return column[T]{name: name, wide: wide, value: func(v T) string { return value(P(&v).GetMeta()) }}
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

// timeCell prints a time in UTC; none is an empty cell.
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

// attachmentCell prints what something is attached to.
func attachmentCell(a simcloud.Attachment) string {
	if a.ID == "" {
		return ""
	}
	return simcloud.Ref(a.Kind, a.ID)
}

// idCell prints an id as it is, for joinCells.
func idCell(id simcloud.ID) string { return string(id) }

// eventObject is what most resources have.
type eventObject struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

func objectOf(e simcloud.Event) eventObject {
	var object eventObject
	_ = json.Unmarshal(e.Object, &object) // what cannot be read is not shown
	return object
}

// eventState is the state that a resource had after an event.
func eventState(e simcloud.Event) string { return objectOf(e).State }

// eventName is the name that a resource had after an event.
func eventName(e simcloud.Event) string { return objectOf(e).Name }
