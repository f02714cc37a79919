package modeltest

import (
	"context"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

type deletion = func(*client.Client, context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Operation, error)

// deleteFree deletes what must not be attached.
func (g *generator) deleteFree(m *model, kind simcloud.Kind, do deletion) *step {
	id := g.pick(m.ids(kind, nil))
	if id == "" {
		return nil
	}
	s := verb("delete", id, do, func(m *model) { delete(m.things, id) })
	if m.things[id].Of != "" {
		return s.refused(simcloud.InUse)
	}
	return s
}

func (g *generator) deleteLoadBalancer(m *model) *step {
	id := g.pick(m.ids(simcloud.KindLoadBalancer, nil))
	if id == "" {
		return nil
	}
	return verb("delete", id, (*client.Client).DeleteLoadBalancer, func(m *model) { delete(m.things, id) })
}

func (g *generator) deleteSubnet(m *model) *step {
	id := g.pick(m.ids(simcloud.KindSubnet, nil))
	if id == "" {
		return nil
	}
	return verb("delete", id, (*client.Client).DeleteSubnet, func(m *model) { delete(m.things, id) })
}

func (g *generator) deleteNetwork(m *model) *step {
	id := g.pick(m.ids(simcloud.KindNetwork, nil))
	if id == "" {
		return nil
	}
	s := verb("delete", id, (*client.Client).DeleteNetwork, func(m *model) { delete(m.things, id) })
	if len(m.attached(simcloud.KindSubnet, id)) > 0 {
		return s.refused(simcloud.InUse)
	}
	return s
}

func targets(t thing, instance simcloud.ID) bool {
	return strings.Contains(" "+t.Of, " "+string(instance)+"=")
}

func (g *generator) createTarget(m *model) *step {
	lb, instance := g.pick(m.ids(simcloud.KindLoadBalancer, nil)), g.pick(m.ids(simcloud.KindInstance, nil))
	if lb == "" || instance == "" {
		return nil
	}
	s := verb(fmt.Sprintf("target %s of", instance), lb, with((*client.Client).CreateTarget, simcloud.TargetSpec{Instance: instance}), func(m *model) {
		m.change(lb, func(t *thing) { t.Of += fmt.Sprintf(" %s=", instance) })
		m.health()
	})
	if targets(m.things[lb], instance) {
		return s.refused(simcloud.AlreadyExists)
	}
	return s
}

func (g *generator) deleteTarget(m *model) *step {
	lb := g.pick(m.ids(simcloud.KindLoadBalancer, func(_ simcloud.ID, t thing) bool { return t.Of != "" }))
	if lb == "" {
		return nil
	}
	all := strings.Fields(m.things[lb].Of)
	name, _, _ := strings.Cut(all[g.dice.IntN(len(all))], "=")
	return verb(fmt.Sprintf("remove the target %s of", name), lb, with((*client.Client).DeleteTarget, simcloud.ID(name)), func(m *model) {
		m.change(lb, func(t *thing) {
			kept := ""
			for _, target := range strings.Fields(t.Of) {
				if !strings.HasPrefix(target, name+"=") {
					kept += " " + target
				}
			}
			t.Of = kept
		})
		m.health()
	})
}
