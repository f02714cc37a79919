package modeltest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// thing is what the model knows of a resource: what a client can see of it, as text.
type thing struct {
	Kind  simcloud.Kind
	Name  string
	Note  string // the label "note"
	State string
	// Of is what it belongs to or is attached to: ids, sorted.
	Of string
}

// model is what one client's resources must be. No other client touches them,
// so that it follows from the client's own calls alone.
type model struct {
	things map[simcloud.ID]thing
}

func newModel() *model { return &model{things: map[simcloud.ID]thing{}} }

func (m *model) clone() *model { return &model{things: maps.Clone(m.things)} }

// ids returns the ids of a kind that fit, in a fixed order.
func (m *model) ids(kind simcloud.Kind, fits func(simcloud.ID, thing) bool) []simcloud.ID {
	var ids []simcloud.ID
	for id, t := range m.things {
		if t.Kind == kind && (fits == nil || fits(id, t)) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (m *model) change(id simcloud.ID, fn func(*thing)) {
	t := m.things[id]
	fn(&t)
	m.things[id] = t
}

// gone is what the end of an instance means for what has to do with it.
func (m *model) gone(instance simcloud.ID) {
	delete(m.things, instance)
	for id, t := range m.things {
		if t.Of != string(instance) || t.Kind == simcloud.KindLoadBalancer {
			continue
		}
		if t.Kind == simcloud.KindFloatingIP || t.Kind == simcloud.KindVolume {
			m.change(id, func(t *thing) { t.State, t.Of = "available", "" })
		}
	}
	m.health()
}

// health follows from the states of the targets.
func (m *model) health() {
	for id, t := range m.things {
		if t.Kind != simcloud.KindLoadBalancer {
			continue
		}
		targets := map[simcloud.ID]bool{}
		for _, target := range strings.Fields(t.Of) {
			instance, _, _ := strings.Cut(target, "=")
			targets[simcloud.ID(instance)] = m.things[simcloud.ID(instance)].State == string(simcloud.InstanceRunning)
		}
		m.change(id, func(t *thing) { t.Of = targetText(targets) })
	}
}

func targetText(targets map[simcloud.ID]bool) string {
	var all []string
	for id, healthy := range targets {
		all = append(all, fmt.Sprintf("%s=%t", id, healthy))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
