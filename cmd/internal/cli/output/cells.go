package output

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Resource is a pointer to a type that has a Meta.
type Resource[T any] interface {
	*T
	GetMeta() *simcloud.Meta
}

// MetaColumns puts the columns of what all resources have around those of one kind.
func MetaColumns[T any, P Resource[T]](own ...Column[T]) Table[T] {
	meta := func(name string, wide bool, value func(*simcloud.Meta) string) Column[T] {
		return Column[T]{Name: name, Wide: wide, Value: func(v T) string { return value(P(&v).GetMeta()) }}
	}
	columns := Table[T]{
		meta("ID", false, func(m *simcloud.Meta) string { return string(m.ID) }),
		meta("NAME", false, func(m *simcloud.Meta) string { return m.Name }),
	}
	return append(append(columns, own...),
		Column[T]{Name: "AGE", Wide: true, Since: func(v T) time.Time { return P(&v).GetMeta().Created }},
		meta("CREATED", true, func(m *simcloud.Meta) string { return TimeCell(m.Created) }),
		meta("LABELS", true, func(m *simcloud.Meta) string { return labelCell(m.Labels) }),
	)
}

// TimeCell prints a time in UTC; none is an empty cell.
func TimeCell(t time.Time) string {
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

// AddressCell prints the addresses of one scope.
func AddressCell(addresses []simcloud.Address, scope simcloud.AddressScope) string {
	return JoinCells(addresses, func(a simcloud.Address) string {
		if a.Scope != scope {
			return ""
		}
		return a.Address
	})
}

// JoinCells prints a list within a cell; what is empty is left out.
func JoinCells[T any](items []T, text func(T) string) string {
	var texts []string
	for _, item := range items {
		if t := text(item); t != "" {
			texts = append(texts, t)
		}
	}
	return strings.Join(texts, ",")
}

// AttachmentCell prints what something is attached to.
func AttachmentCell(a simcloud.Attachment) string {
	if a.ID == "" {
		return ""
	}
	return simcloud.Ref(a.Kind, a.ID)
}

// IDCell prints an id as it is, for joinCells.
func IDCell(id simcloud.ID) string { return string(id) }

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

// EventState is the state that a resource had after an event.
func EventState(e simcloud.Event) string { return objectOf(e).State }

// EventName is the name that a resource had after an event.
func EventName(e simcloud.Event) string { return objectOf(e).Name }
