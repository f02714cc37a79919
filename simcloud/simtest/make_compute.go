package simtest

import (
	"encoding/base64"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// The makers return resources that a test needs and is not about.

// instance makes an instance.
func (f *fixture) instance(name string) simcloud.Instance {
	f.Helper()
	return f.instanceOf(simcloud.InstanceSpec{Name: name})
}

// instanceOf makes an instance as the spec wants it.
func (f *fixture) instanceOf(spec simcloud.InstanceSpec) simcloud.Instance {
	f.Helper()
	return must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, spec)).Resource
}

// in makes an instance in a zone.
func (f *fixture) in(zone simcloud.ID) simcloud.Instance {
	f.Helper()
	return f.instanceOf(simcloud.InstanceSpec{Name: "a", Zone: zone})
}

// stopped makes an instance that is stopped.
func stopped(f *fixture) simcloud.ID {
	id := f.settled(f.in("zone-a").ID)
	must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, id))
	return id
}

// add gives an instance an address and returns it.
func (f *fixture) add(id simcloud.ID, spec simcloud.AddressSpec) simcloud.Address {
	f.Helper()
	all := must[simcloud.Result[simcloud.Instance]](f)(f.AddInstanceAddress(f.ctx, id, spec)).Resource.Addresses
	return all[len(all)-1]
}

// getInstance reads an instance that must be there.
func (f *fixture) getInstance(id simcloud.ID) simcloud.Instance {
	f.Helper()
	return must[simcloud.Instance](f)(f.GetInstance(f.ctx, id))
}

// settled waits for the instance, where operations take time.
func (f *fixture) settled(id simcloud.ID) simcloud.ID {
	f.Helper()
	if f.getInstance(id).Operation != "" {
		f.advance(opDuration)
	}
	return id
}

// anInstance makes an instance.
func anInstance(f *fixture) simcloud.ID { return f.instance("a").ID }

// toInstance is what leads to an instance.
func toInstance(id simcloud.ID) simcloud.Attachment {
	return simcloud.Attachment{Kind: simcloud.KindInstance, ID: id}
}

// setZone brings a zone down, or up again.
func (f *fixture) setZone(id simcloud.ID, state simcloud.ZoneState) {
	f.Helper()
	must[simcloud.Result[simcloud.Zone]](f)(f.SetZoneState(f.ctx, id, simcloud.ZoneStateSpec{State: state}))
}

// used is an instance to which a target, a route and a floating IP lead.
type used struct{ Instance, LB, FIP simcloud.ID }

// used makes an instance with a target, a route and a floating IP.
func (f *fixture) used() used {
	f.Helper()
	id := f.instance("a").ID
	lb := f.loadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: id}}})
	spec := simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Instance: id}}
	must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRoute(f.ctx, "rt-1", spec))
	if f.getInstance(id).Operation != "" {
		f.advance(opDuration)
	}
	fip := f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: toInstance(id)})
	return used{id, lb.ID, fip.ID}
}

// volume makes one of 10 GiB in zone-a.
func (f *fixture) volume(name string) simcloud.Volume {
	f.Helper()
	spec := simcloud.VolumeSpec{Name: name, SizeGiB: 10, Zone: "zone-a"}
	return must[simcloud.Result[simcloud.Volume]](f)(f.CreateVolume(f.ctx, spec)).Resource
}

// aVolume makes a volume.
func aVolume(f *fixture) simcloud.ID { return f.volume("v").ID }

// getVolume reads a volume that must be there.
func (f *fixture) getVolume(id simcloud.ID) simcloud.Volume {
	f.Helper()
	return must[simcloud.Volume](f)(f.GetVolume(f.ctx, id))
}

// attach attaches a volume to an instance.
func (f *fixture) attach(volume, instance simcloud.ID) simcloud.Volume {
	f.Helper()
	return must[simcloud.Result[simcloud.Volume]](f)(f.AttachVolume(f.ctx, volume, simcloud.VolumeAttachment{Instance: instance})).Resource
}

// attached makes an instance and a volume that it has.
func (f *fixture) attached() (simcloud.Instance, simcloud.Volume) {
	f.Helper()
	id, volume := f.in("zone-a").ID, aVolume(f)
	attached := f.attach(volume, f.settled(id))
	return f.getInstance(id), attached
}

// madeKey returns a public key that is no other one.
func madeKey(n int) string {
	return "ssh-ed25519 " + base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20%032d", n))
}

// sshKey registers the nth key of [madeKey].
func (f *fixture) sshKey(n int) simcloud.ID {
	f.Helper()
	spec := simcloud.SSHKeySpec{Name: fmt.Sprintf("k%d", n), PublicKey: madeKey(n)}
	return must[simcloud.Result[simcloud.SSHKey]](f)(f.CreateSSHKey(f.ctx, spec)).Resource.ID
}

// anSSHKey registers an SSH key.
func anSSHKey(f *fixture) simcloud.ID { return f.sshKey(1) }
