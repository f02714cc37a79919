package topology

import (
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func (c *capture) instance(i simcloud.Instance) simcloud.TopologyInstance {
	one := simcloud.TopologyInstance{State: c.instanceState(i), InstanceSpec: simcloud.InstanceSpec{
		Name: i.Name, Type: i.Type, Zone: i.Zone, Network: c.name(simcloud.KindNetwork, i.Network), Subnet: c.name(simcloud.KindSubnet, i.Subnet),
		SSHKeys: c.namesOf(simcloud.KindSSHKey, i.SSHKeys), Labels: i.Labels, UserData: i.UserData,
		SecurityGroups: c.namesOf(simcloud.KindSecurityGroup, i.SecurityGroups), NoPublicAddress: true, Protected: i.Protected, Options: i.Options,
	}}
	if i.Hostname != i.Name {
		one.Hostname = i.Hostname
	}
	c.addresses(i, &one.InstanceSpec)
	return one
}

// instanceState is the state to which a topology can bring an instance; empty for running.
func (c *capture) instanceState(i simcloud.Instance) simcloud.InstanceState {
	switch i.State {
	case simcloud.InstanceRunning:
		return ""
	case simcloud.InstanceStopped, simcloud.InstanceSuspended:
		return i.State
	case simcloud.InstanceStopping:
		c.lose(simcloud.KindInstance, i.Meta, "the state stopping becomes stopped")
		return simcloud.InstanceStopped
	default:
		c.lose(simcloud.KindInstance, i.Meta, "the state %s becomes running", i.State)
		return ""
	}
}

// addresses has those that a topology can ask for: of each network one, which is of version 4 where it can be.
func (c *capture) addresses(i simcloud.Instance, spec *simcloud.InstanceSpec) {
	public := map[bool]int{}
	private := map[simcloud.ID][]simcloud.Address{}
	for _, a := range i.Addresses {
		if a.PTR != "" {
			c.lose(simcloud.KindInstance, i.Meta, "the PTR %s of %s is left out", a.PTR, a.Address)
		}
		if a.Scope != simcloud.ScopePublic {
			private[a.Network] = append(private[a.Network], a)
			continue
		}
		spec.NoPublicAddress = false
		if public[isV4(a.Address)]++; public[isV4(a.Address)] > 1 {
			c.lose(simcloud.KindInstance, i.Meta, "the added public address %s is left out", a.Address)
			continue
		}
		if isV4(a.Address) {
			spec.PublicFamilies = append(spec.PublicFamilies, 4)
		} else {
			spec.PublicFamilies = append(spec.PublicFamilies, 6)
		}
	}
	slices.Sort(spec.PublicFamilies)
	own := c.asked(i, private[""])
	spec.PrivateAddress = own.Address
	for _, network := range i.Networks()[1:] {
		a := c.asked(i, private[network])
		spec.Networks = append(spec.Networks, simcloud.NetworkAttachment{
			Network: c.name(simcloud.KindNetwork, network), Address: a.Address, Subnet: c.name(simcloud.KindSubnet, a.Subnet),
		})
	}
}

// asked is the address of a network that an instance asks for. It has one of each family; more were added later.
func (c *capture) asked(i simcloud.Instance, all []simcloud.Address) (asked simcloud.Address) {
	families := map[bool]int{}
	for _, a := range all {
		v4 := isV4(a.Address)
		if families[v4]++; families[v4] > 1 {
			c.lose(simcloud.KindInstance, i.Meta, "the added private address %s is left out", a.Address)
			continue
		}
		if asked.Address == "" || v4 {
			asked = a
		}
	}
	return asked
}

func isV4(text string) bool {
	addr, err := netip.ParseAddr(text)
	return err == nil && addr.Is4()
}

func (c *capture) volume(v simcloud.Volume) simcloud.TopologyVolume {
	switch v.State {
	case simcloud.VolumeError, simcloud.VolumeDeleting:
		c.lose(simcloud.KindVolume, v.Meta, "the state %s becomes that of a new volume", v.State)
	default:
	}
	volume := simcloud.TopologyVolume{AttachedTo: c.name(simcloud.KindInstance, v.AttachedTo), VolumeSpec: simcloud.VolumeSpec{
		Name: v.Name, Labels: v.Labels, SizeGiB: v.SizeGiB, Type: v.Type, Zone: v.Zone, Protected: v.Protected,
	}}
	if v.AttachedTo != "" && volume.AttachedTo == "" {
		c.lose(simcloud.KindVolume, v.Meta, "it is not attached: the instance %s is not in the topology", v.AttachedTo)
	}
	return volume
}
