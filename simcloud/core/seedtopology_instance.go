package core

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func (s *seeding) keys() seedPart {
	p := &kindPart[simcloud.SSHKey, *simcloud.SSHKey, simcloud.SSHKeySpec]{s: s, bucket: store.SSHKeys}
	p.wanted, p.listed = entries(s.want.SSHKeys, "sshKeys", func(k simcloud.SSHKeySpec) string { return k.Name })
	p.fits = func(have simcloud.SSHKey, want simcloud.SSHKeySpec) bool { return have.PublicKey == want.PublicKey }
	p.delete = s.deleteKey
	p.create = func(want simcloud.SSHKeySpec) error {
		_, err := s.do.CreateSSHKey(s.ctx, want)
		return err
	}
	p.update = func(have simcloud.SSHKey, want simcloud.SSHKeySpec) error {
		labels := newLabels(have.Labels, want.Labels)
		if labels == nil {
			return nil
		}
		_, err := s.do.UpdateSSHKey(s.ctx, have.ID, simcloud.SSHKeyUpdate{Labels: labels})
		return err
	}
	return p
}

// deleteKey takes the key from instances first, if the topology says which keys they have.
func (s *seeding) deleteKey(have simcloud.SSHKey) error {
	used := store.Instances.Referred(s.tx, store.Ref{Kind: simcloud.KindSSHKey, ID: have.ID})
	if used && s.want.Instances != nil {
		if _, err := s.do.DetachSSHKey(s.ctx, have.ID, simcloud.SSHKeyTargets{All: true}); err != nil {
			return err
		}
	}
	_, err := s.do.DeleteSSHKey(s.ctx, have.ID)
	return err
}

func (s *seeding) instances() seedPart {
	p := &kindPart[simcloud.Instance, *simcloud.Instance, simcloud.TopologyInstance]{s: s, bucket: store.Instances, listed: s.want.Instances != nil}
	if p.listed {
		for i, some := range *s.want.Instances {
			for _, one := range some.Each() {
				p.wanted = append(p.wanted, entry[simcloud.TopologyInstance]{seedPath("instances", i), one.Name, one})
			}
		}
	}
	p.fits = s.fitsInstance
	p.delete = func(have simcloud.Instance) error {
		_, err := s.do.DeleteInstance(s.ctx, have.ID)
		return err
	}
	p.create = s.createInstance
	p.update = s.updateInstance
	return p
}

// fitsInstance: what only a new instance can have is as it is wanted, and it
// can be brought to any state.
func (s *seeding) fitsInstance(have simcloud.Instance, want simcloud.TopologyInstance) bool {
	return (have.Operation != "" || slices.Contains(stopping.from, have.State)) &&
		leads(s, store.InstanceTypes, have.Type, want.Type) &&
		leads(s, store.Zones, have.Zone, want.Zone) &&
		leads(s, store.Networks, have.Network, want.Network) &&
		leads(s, store.Subnets, have.Subnet, want.Subnet) &&
		!s.losesNetwork(have) &&
		s.fitsHostname(have, want.Hostname) &&
		hasPrivateAddress(have, want.PrivateAddress) &&
		have.UserData == want.UserData && hasPublicAddress(have) != want.NoPublicAddress && hasFamilies(have, want.PublicFamilies)
}

// hasFamilies reports whether an instance has public addresses of the wanted families alone; a topology that names none accepts any.
func hasFamilies(have simcloud.Instance, want []int) bool {
	is := familiesOfPublic(have)
	return len(want) == 0 || len(is) == len(want) && !slices.ContainsFunc(want, func(family int) bool { return !slices.Contains(is, family) })
}

// hasPrivateAddress reports whether an instance has an address of its own network; a topology that asks for none accepts any.
func hasPrivateAddress(have simcloud.Instance, want string) bool {
	addr, err := netip.ParseAddr(want)
	return err != nil || slices.ContainsFunc(have.Addresses, func(a simcloud.Address) bool {
		return a.Scope == simcloud.ScopePrivate && a.Network == "" && a.Address == addr.String()
	})
}

// fitsHostname: a topology that asks for no hostname accepts the one that the cloud gives, and with the name,
// which the cloud may have given by a former config.
func (s *seeding) fitsHostname(have simcloud.Instance, want string) bool {
	if want != "" {
		return have.Hostname == want
	}
	return have.Hostname == have.Name || have.Hostname == s.hostname(have)
}

func (s *seeding) createInstance(want simcloud.TopologyInstance) error {
	spec := want.InstanceSpec
	var err error
	if spec.Network, err = named(s, store.Networks, "network", want.Network); err != nil {
		return err
	}
	if spec.Subnet, err = named(s, store.Subnets, "subnet", want.Subnet); err != nil {
		return err
	}
	if spec.Networks, err = s.attachments(want.Networks); err != nil {
		return err
	}
	if spec.SSHKeys, err = s.keyIDs(want); err != nil {
		return err
	}
	if spec.SecurityGroups, err = s.groupIDs(want.SecurityGroups); err != nil {
		return err
	}
	made, err := s.do.CreateInstance(s.ctx, spec)
	if err != nil {
		return err
	}
	return s.bringTo(made.Resource, want)
}

func (s *seeding) keyIDs(want simcloud.TopologyInstance) ([]simcloud.ID, error) {
	var ids []simcloud.ID
	for _, name := range want.SSHKeys {
		id, err := named(s, store.SSHKeys, "sshKeys", name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (s *seeding) updateInstance(have simcloud.Instance, want simcloud.TopologyInstance) error {
	groups, err := s.groupsOfKept(have, want)
	if err != nil {
		return err
	}
	update := simcloud.InstanceUpdate{
		Labels: newLabels(have.Labels, want.Labels), Protected: newProtection(have.Protected, want.Protected),
		SecurityGroups: newGroups(have.SecurityGroups, groups), Options: newLabels(have.Options, want.Options),
	}
	if update != (simcloud.InstanceUpdate{}) {
		if _, err := s.do.UpdateInstance(s.ctx, have.ID, update); err != nil {
			return err
		}
	}
	if err := s.bringKeys(have, want); err != nil {
		return err
	}
	if err := s.bringNetworks(have, want); err != nil {
		return err
	}
	return s.bringTo(have, want)
}

// groupsOfKept are the groups that an instance should have. A topology that names none accepts the default group, if it has that.
func (s *seeding) groupsOfKept(have simcloud.Instance, want simcloud.TopologyInstance) ([]simcloud.ID, error) {
	if len(want.SecurityGroups) > 0 || len(have.SecurityGroups) == 0 {
		return s.groupIDs(want.SecurityGroups)
	}
	group, ok, err := s.defaultGroup(have.Network)
	if err != nil || !ok {
		return nil, err
	}
	return []simcloud.ID{group.ID}, nil
}

// bringKeys gives an instance the keys that it should have, and takes the others.
func (s *seeding) bringKeys(have simcloud.Instance, want simcloud.TopologyInstance) error {
	ids, err := s.keyIDs(want)
	if err != nil {
		return err
	}
	this := simcloud.SSHKeyTargets{Instances: []simcloud.ID{have.ID}}
	for _, key := range have.SSHKeys {
		if slices.Contains(ids, key) {
			continue
		}
		if _, err := s.do.DetachSSHKey(s.ctx, key, this); err != nil {
			return err
		}
	}
	for _, key := range ids {
		if slices.Contains(have.SSHKeys, key) {
			continue
		}
		if _, err := s.do.AttachSSHKey(s.ctx, key, this); err != nil {
			return err
		}
	}
	return nil
}

// bringTo brings an instance to its state; to suspended through running.
func (s *seeding) bringTo(have simcloud.Instance, want simcloud.TopologyInstance) error {
	state := cmp.Or(want.State, simcloud.InstanceRunning)
	if have.State == state {
		return nil
	}
	verbs := []func() error{}
	if state != simcloud.InstanceStopped && have.State != simcloud.InstanceRunning {
		verbs = append(verbs, func() error { _, err := s.do.StartInstance(s.ctx, have.ID); return err })
	}
	switch state {
	case simcloud.InstanceStopped:
		verbs = append(verbs, func() error { _, err := s.do.StopInstance(s.ctx, have.ID); return err })
	case simcloud.InstanceSuspended:
		verbs = append(verbs, func() error { _, err := s.do.SuspendInstance(s.ctx, have.ID); return err })
	default:
	}
	for _, verb := range verbs {
		if err := verb(); err != nil {
			return err
		}
	}
	return nil
}
