package modeltest

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

const zone = "zone-a"

func (g *generator) createInstance(*model) *step {
	name, labels := g.name()
	return creation((*client.Client).CreateInstance,
		simcloud.InstanceSpec{Name: name, Labels: labels, Zone: zone, NoPublicAddress: g.dice.IntN(2) == 0},
		thing{Kind: simcloud.KindInstance, Name: name, State: string(simcloud.InstanceRunning)})
}

func (g *generator) createVolume(*model) *step {
	name, labels := g.name()
	return creation((*client.Client).CreateVolume,
		simcloud.VolumeSpec{Name: name, Labels: labels, Zone: zone, SizeGiB: 1 + g.dice.IntN(9)},
		thing{Kind: simcloud.KindVolume, Name: name, State: string(simcloud.VolumeAvailable)})
}

func (g *generator) createFloatingIP(*model) *step {
	name, labels := g.name()
	return creation((*client.Client).CreateFloatingIP,
		simcloud.FloatingIPSpec{Name: name, Labels: labels},
		thing{Kind: simcloud.KindFloatingIP, Name: name, State: string(simcloud.FloatingIPAvailable)})
}

func (g *generator) createLoadBalancer(*model) *step {
	name, labels := g.name()
	return creation((*client.Client).CreateLoadBalancer,
		simcloud.LoadBalancerSpec{Name: name, Labels: labels, Scheme: simcloud.SchemeInternal},
		thing{Kind: simcloud.KindLoadBalancer, Name: name, State: string(simcloud.LoadBalancerActive)})
}

func (g *generator) createNetwork(*model) *step {
	name, labels := g.name()
	return creation((*client.Client).CreateNetwork,
		simcloud.NetworkSpec{Name: name, Labels: labels, CIDRs: []string{"10.8.0.0/16"}},
		thing{Kind: simcloud.KindNetwork, Name: name, State: simcloud.NetworkAvailable})
}

// createSubnet makes the one subnet of a network; a second one overlaps it.
func (g *generator) createSubnet(m *model) *step {
	network := g.pick(m.ids(simcloud.KindNetwork, nil))
	if network == "" {
		return nil
	}
	name, labels := g.name()
	s := creation((*client.Client).CreateSubnet,
		simcloud.SubnetSpec{Name: name, Labels: labels, Network: network, CIDR: "10.8.1.0/24"},
		thing{Kind: simcloud.KindSubnet, Name: name, State: simcloud.NetworkAvailable, Of: string(network)})
	if len(m.attached(simcloud.KindSubnet, network)) > 0 {
		return s.refused(simcloud.Conflict)
	}
	return s
}

// attached returns what of a kind belongs to something.
func (m *model) attached(kind simcloud.Kind, to simcloud.ID) []simcloud.ID {
	return m.ids(kind, func(_ simcloud.ID, t thing) bool { return t.Of == string(to) })
}

func (g *generator) updateInstance(m *model) *step {
	id := g.pick(m.ids(simcloud.KindInstance, nil))
	if id == "" {
		return nil
	}
	note := fmt.Sprint(g.dice.IntN(1000))
	labels := g.labels(note)
	return verb("update", id, with((*client.Client).UpdateInstance, simcloud.InstanceUpdate{Labels: &labels}), func(m *model) {
		m.change(id, func(t *thing) { t.Note = note })
	})
}

func (g *generator) stopInstance(m *model) *step {
	id := g.pick(m.ids(simcloud.KindInstance, nil))
	if id == "" {
		return nil
	}
	return verb("stop", id, (*client.Client).StopInstance, func(m *model) {
		m.change(id, func(t *thing) { t.State = string(simcloud.InstanceStopped) })
		m.health()
	})
}

func (g *generator) startInstance(m *model) *step {
	id := g.pick(m.ids(simcloud.KindInstance, nil))
	if id == "" {
		return nil
	}
	return verb("start", id, (*client.Client).StartInstance, func(m *model) {
		m.change(id, func(t *thing) { t.State = string(simcloud.InstanceRunning) })
		m.health()
	})
}

func (g *generator) deleteInstance(m *model) *step {
	id := g.pick(m.ids(simcloud.KindInstance, nil))
	if id == "" {
		return nil
	}
	return verb("delete", id, (*client.Client).DeleteInstance, func(m *model) { m.gone(id) })
}

func (g *generator) attachVolume(m *model) *step {
	id, to := g.pick(m.ids(simcloud.KindVolume, nil)), g.pick(m.ids(simcloud.KindInstance, nil))
	if id == "" || to == "" || len(m.attached(simcloud.KindVolume, to)) > 5 {
		return nil
	}
	s := verb(fmt.Sprintf("attach to %s", to), id, with((*client.Client).AttachVolume, simcloud.VolumeAttachment{Instance: to}), func(m *model) {
		m.change(id, func(t *thing) { t.State, t.Of = string(simcloud.VolumeInUse), string(to) })
	})
	if of := m.things[id].Of; of != "" && of != string(to) {
		return s.refused(simcloud.InUse)
	}
	return s
}

func (g *generator) detachVolume(m *model) *step {
	id := g.pick(m.ids(simcloud.KindVolume, nil))
	if id == "" {
		return nil
	}
	return verb("detach", id, (*client.Client).DetachVolume, func(m *model) {
		m.change(id, func(t *thing) { t.State, t.Of = string(simcloud.VolumeAvailable), "" })
	})
}

func (g *generator) deleteVolume(m *model) *step {
	return g.deleteFree(m, simcloud.KindVolume, (*client.Client).DeleteVolume)
}

func (g *generator) deleteFloatingIP(m *model) *step {
	return g.deleteFree(m, simcloud.KindFloatingIP, (*client.Client).DeleteFloatingIP)
}

func (g *generator) attachFloatingIP(m *model) *step {
	id, to := g.pick(m.ids(simcloud.KindFloatingIP, nil)), g.pick(m.ids(simcloud.KindInstance, nil))
	if id == "" || to == "" {
		return nil
	}
	attachment := simcloud.Attachment{Kind: simcloud.KindInstance, ID: to}
	s := verb(fmt.Sprintf("attach to %s", to), id, with((*client.Client).AttachFloatingIP, attachment), func(m *model) {
		m.change(id, func(t *thing) { t.State, t.Of = string(simcloud.FloatingIPAttached), string(to) })
	})
	if of := m.things[id].Of; of != "" && of != string(to) {
		return s.refused(simcloud.InUse)
	}
	return s
}

func (g *generator) detachFloatingIP(m *model) *step {
	id := g.pick(m.ids(simcloud.KindFloatingIP, nil))
	if id == "" {
		return nil
	}
	return verb("detach", id, (*client.Client).DetachFloatingIP, func(m *model) {
		m.change(id, func(t *thing) { t.State, t.Of = string(simcloud.FloatingIPAvailable), "" })
	})
}
