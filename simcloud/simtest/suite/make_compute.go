package suite

import (
	"encoding/base64"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// The makers return resources that a test needs and is not about.

// Instance makes an instance.
func (f *Fixture) Instance(name string) simcloud.Instance {
	f.Helper()
	return f.InstanceOf(simcloud.InstanceSpec{Name: name})
}

// InstanceOf makes an instance as the spec wants it.
func (f *Fixture) InstanceOf(spec simcloud.InstanceSpec) simcloud.Instance {
	f.Helper()
	return Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, spec)).Resource
}

// In makes an instance in a zone.
func (f *Fixture) In(zone simcloud.ID) simcloud.Instance {
	f.Helper()
	return f.InstanceOf(simcloud.InstanceSpec{Name: "a", Zone: zone})
}

// MakeStopped makes an instance that is stopped.
func MakeStopped(f *Fixture) simcloud.ID {
	id := f.settled(f.In("zone-a").ID)
	Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, id))
	return id
}

// Add gives an instance an address and returns it.
func (f *Fixture) Add(id simcloud.ID, spec simcloud.AddressSpec) simcloud.Address {
	f.Helper()
	all := Must[simcloud.Result[simcloud.Instance]](f)(f.AddInstanceAddress(f.Ctx, id, spec)).Resource.Addresses
	return all[len(all)-1]
}

// MustGetInstance reads an instance that must be there.
func (f *Fixture) MustGetInstance(id simcloud.ID) simcloud.Instance {
	f.Helper()
	return Must[simcloud.Instance](f)(f.GetInstance(f.Ctx, id))
}

// settled waits for the instance, where operations take time.
func (f *Fixture) settled(id simcloud.ID) simcloud.ID {
	f.Helper()
	if f.MustGetInstance(id).Operation != "" {
		f.Advance(OpDuration)
	}
	return id
}

// MakeInstance makes an instance.
func MakeInstance(f *Fixture) simcloud.ID { return f.Instance("a").ID }

// ToInstance is what leads to an instance.
func ToInstance(id simcloud.ID) simcloud.Attachment {
	return simcloud.Attachment{Kind: simcloud.KindInstance, ID: id}
}

// SetZone brings a zone down, or up again.
func (f *Fixture) SetZone(id simcloud.ID, state simcloud.ZoneState) {
	f.Helper()
	Must[simcloud.Result[simcloud.Zone]](f)(f.SetZoneState(f.Ctx, id, simcloud.ZoneStateSpec{State: state}))
}

// Used is an instance to which a target, a route and a floating IP lead.
type Used struct{ Instance, LB, FIP simcloud.ID }

// Used makes an instance with a target, a route and a floating IP.
func (f *Fixture) Used() Used {
	f.Helper()
	id := f.Instance("a").ID
	lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: id}}})
	spec := simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Instance: id}}
	Must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRoute(f.Ctx, "rt-1", spec))
	if f.MustGetInstance(id).Operation != "" {
		f.Advance(OpDuration)
	}
	fip := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: ToInstance(id)})
	return Used{id, lb.ID, fip.ID}
}

// Volume makes one of 10 GiB in zone-a.
func (f *Fixture) Volume(name string) simcloud.Volume {
	f.Helper()
	spec := simcloud.VolumeSpec{Name: name, SizeGiB: 10, Zone: "zone-a"}
	return Must[simcloud.Result[simcloud.Volume]](f)(f.CreateVolume(f.Ctx, spec)).Resource
}

// MakeVolume makes a volume.
func MakeVolume(f *Fixture) simcloud.ID { return f.Volume("v").ID }

// MustGetVolume reads a volume that must be there.
func (f *Fixture) MustGetVolume(id simcloud.ID) simcloud.Volume {
	f.Helper()
	return Must[simcloud.Volume](f)(f.GetVolume(f.Ctx, id))
}

// Attach attaches a volume to an instance.
func (f *Fixture) Attach(volume, instance simcloud.ID) simcloud.Volume {
	f.Helper()
	return Must[simcloud.Result[simcloud.Volume]](f)(f.AttachVolume(f.Ctx, volume, simcloud.VolumeAttachment{Instance: instance})).Resource
}

// Attached makes an instance and a volume that it has.
func (f *Fixture) Attached() (simcloud.Instance, simcloud.Volume) {
	f.Helper()
	id, volume := f.In("zone-a").ID, MakeVolume(f)
	attached := f.Attach(volume, f.settled(id))
	return f.MustGetInstance(id), attached
}

// PublicKey returns a public key that is no other one.
func PublicKey(n int) string {
	return "ssh-ed25519 " + base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20%032d", n))
}

// SSHKey registers the nth key of [PublicKey].
func (f *Fixture) SSHKey(n int) simcloud.ID {
	f.Helper()
	spec := simcloud.SSHKeySpec{Name: fmt.Sprintf("k%d", n), PublicKey: PublicKey(n)}
	return Must[simcloud.Result[simcloud.SSHKey]](f)(f.CreateSSHKey(f.Ctx, spec)).Resource.ID
}

// MakeSSHKey registers an SSH key.
func MakeSSHKey(f *Fixture) simcloud.ID { return f.SSHKey(1) }
