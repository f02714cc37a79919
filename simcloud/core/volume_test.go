package core_test

import (
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// furnish makes i-1 with vol-1 and key-1 in zone-a, and beside it vol-2, key-2
// and, in zone-b, i-2.
func furnish(t *testing.T, cloud *core.Cloud) {
	t.Helper()
	ctx := t.Context()
	for i, text := range []string{"AAAAC3NzaC1lZDI1NTE5AAAAAQA=", "AAAAC3NzaC1lZDI1NTE5AAAAAQE="} {
		spec := simcloud.SSHKeySpec{Name: "k", PublicKey: "ssh-ed25519 " + text}
		must[simcloud.Result[simcloud.SSHKey]](t)(cloud.CreateSSHKey(ctx, spec))
		must[simcloud.Result[simcloud.Volume]](t)(cloud.CreateVolume(ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1 + i, Zone: "zone-a"}))
	}
	must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a", Zone: "zone-a", SSHKeys: []simcloud.ID{"key-1"}}))
	must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "b", Zone: "zone-b"}))
	must[simcloud.Result[simcloud.Volume]](t)(cloud.AttachVolume(ctx, "vol-1", simcloud.VolumeAttachment{Instance: "i-1"}))
}

func changeVolume(id simcloud.ID, edit func(*simcloud.Volume)) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		volume, err := store.Volumes.Get(tx, id)
		if err != nil {
			return err
		}
		edit(&volume)
		return store.Volumes.Update(tx, time.Now(), &volume)
	}
}

func editInstance(id simcloud.ID, edit func(*simcloud.Instance)) func(*store.Tx) error {
	return func(tx *store.Tx) error { return changeInstance(tx, id, edit) }
}

// TestCheckFindsInMachines: each broken rule of volumes, keys and zones is reported.
func TestCheckFindsInMachines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(tx *store.Tx) error
		want  string
	}{
		"a volume that its instance does not have": {editInstance("i-1", func(i *simcloud.Instance) { i.Volumes = nil }),
			"vol-1 is attached to i-1, which does not have it"},
		"a volume that does not know its instance": {editInstance("i-2", func(i *simcloud.Instance) { i.Volumes = []simcloud.ID{"vol-2"} }),
			`i-2 has vol-2, which is attached to ""`},
		"a volume in another zone": {changeVolume("vol-1", func(v *simcloud.Volume) { v.Zone = "zone-c" }),
			"vol-1 is in zone-c and attached to i-1 in zone-a"},
		"a free volume that is attached": {changeVolume("vol-1", func(v *simcloud.Volume) { v.State = simcloud.VolumeAvailable }),
			`vol-1 is available and attached to "i-1"`},
		"a used volume that is free": {changeVolume("vol-2", func(v *simcloud.Volume) { v.State = simcloud.VolumeInUse }),
			`vol-2 is in_use and attached to ""`},
		"an instance that is gone": {changeVolume("vol-1", func(v *simcloud.Volume) { v.AttachedTo = "i-9" }),
			"volume/vol-1 refers to instance/i-9"},
		"a device twice": {changeVolume("vol-2", func(v *simcloud.Volume) { v.AttachedTo, v.Device = "i-1", "/dev/sdb" }),
			"vol-1 and vol-2 are both /dev/sdb of i-1"},
		"a key that is gone": {editInstance("i-1", func(i *simcloud.Instance) { i.SSHKeys = []simcloud.ID{"key-9"} }),
			"instance/i-1 refers to ssh_key/key-9"},
		"a key twice": {func(tx *store.Tx) error {
			first, _ := store.SSHKeys.Get(tx, "key-1")
			second, err := store.SSHKeys.Get(tx, "key-2")
			if err != nil {
				return err
			}
			second.Fingerprint = first.Fingerprint
			return store.SSHKeys.Update(tx, time.Now(), &second)
		}, "key-1 and key-2 are the same key"},
		"an outage of an available zone": {editInstance("i-1", func(i *simcloud.Instance) { i.Unreachable = true }),
			"i-1 is unreachable: true; running in zone-a, which is available, should be: false"},
		"an outage that is not noted": {func(tx *store.Tx) error {
			zone, err := store.Zones.Get(tx, "zone-b")
			if err != nil {
				return err
			}
			zone.State = simcloud.ZoneDown
			return store.Zones.Update(tx, time.Now(), &zone)
		}, "i-2 is unreachable: false; running in zone-b, which is down, should be: true"},
		"a region that does not know its zones": {func(tx *store.Tx) error {
			region, err := store.Regions.Get(tx, "region-1")
			if err != nil {
				return err
			}
			region.State = simcloud.ZoneDegraded
			return store.Regions.Update(tx, time.Now(), &region)
		}, "region-1 is degraded, its zones make it available"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantProblem(t, furnish, c.spoil, c.want)
		})
	}
}

// TestDeletionThatFails: an instance that did not go after all has its volumes again.
func TestDeletionThatFails(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, simcloud.Progression{})
	furnish(t, cloud)
	must[simcloud.Operation](t)(cloud.DeleteInstance(ending(t, "error", 0), "i-1"))
	settle()
	volume := must[simcloud.Volume](t)(cloud.GetVolume(t.Context(), "vol-1"))
	if volume.State != simcloud.VolumeInUse || volume.AttachedTo != "i-1" || volume.Operation != "" {
		t.Errorf("the volume is %s, attached to %q, with operation %q", volume.State, volume.AttachedTo, volume.Operation)
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
	must[simcloud.Operation](t)(cloud.DeleteInstance(t.Context(), "i-1"))
	settle()
	if volume = must[simcloud.Volume](t)(cloud.GetVolume(t.Context(), "vol-1")); volume.State != simcloud.VolumeAvailable {
		t.Errorf("the volume of one that is gone is %s", volume.State)
	}
}

// TestDetachmentThatFails: the volume is still attached, and can be detached again.
func TestDetachmentThatFails(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, simcloud.Progression{})
	furnish(t, cloud)
	ctx := t.Context()
	must[simcloud.Result[simcloud.Volume]](t)(cloud.DetachVolume(ending(t, "error", 0), "vol-1"))
	settle()
	volume := must[simcloud.Volume](t)(cloud.GetVolume(ctx, "vol-1"))
	if volume.State != simcloud.VolumeError || volume.AttachedTo != "i-1" {
		t.Errorf("the volume is %s, attached to %q", volume.State, volume.AttachedTo)
	}
	_, err := cloud.ResizeVolume(ctx, "vol-1", simcloud.VolumeResize{SizeGiB: 9})
	wantCode(t, "resize one in error", err, simcloud.Conflict)
	_, err = cloud.AttachVolume(ctx, "vol-1", simcloud.VolumeAttachment{Instance: "i-1"})
	wantCode(t, "attach one in error", err, simcloud.Conflict)
	must[simcloud.Result[simcloud.Volume]](t)(cloud.DetachVolume(ctx, "vol-1"))
	settle()
	if err := cloud.Check(ctx); err != nil {
		t.Error(err)
	}
	must[simcloud.Operation](t)(cloud.DeleteVolume(ctx, "vol-1"))
}

// TestStuckVolume: a volume that stays on its way can be detached or deleted, no more.
func TestStuckVolume(t *testing.T) {
	t.Parallel()
	for _, state := range []simcloud.VolumeState{simcloud.VolumeCreating, simcloud.VolumeDeleting, simcloud.VolumeError} {
		cloud := open(t, core.Config{})
		furnish(t, cloud)
		ctx := t.Context()
		stuck := must[simcloud.Result[simcloud.Volume]](t)(cloud.CreateVolume(ending(t, string(state), time.Nanosecond), simcloud.VolumeSpec{Name: "v", SizeGiB: 1, Zone: "zone-a"}))
		must[simcloud.Operation](t)(cloud.WaitOperation(ctx, stuck.Operation.ID))
		_, err := cloud.AttachVolume(ctx, stuck.Resource.ID, simcloud.VolumeAttachment{Instance: "i-1"})
		wantCode(t, "attach one that is "+string(state), err, simcloud.Conflict)
		_, err = cloud.ResizeVolume(ctx, stuck.Resource.ID, simcloud.VolumeResize{SizeGiB: 2})
		wantCode(t, "resize one that is "+string(state), err, simcloud.Conflict)
		must[simcloud.Operation](t)(cloud.DeleteVolume(ctx, stuck.Resource.ID))
	}
}
