package store

import (
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// uses returns what a change adds to what projects have. Either resource may be
// nil: before it is made, and after it is gone.
func (b Bucket[T, P]) uses(tx *Tx, before, after *T) ([]Use, error) {
	uses := b.oneUse(before, after)
	switch after := any(after).(type) {
	case *simcloud.Instance:
		more, err := instanceUses(tx, any(before).(*simcloud.Instance), after)
		return append(uses, more...), err
	case *simcloud.InstanceType:
		return typeUses(tx, any(before).(*simcloud.InstanceType), after)
	case *simcloud.Volume:
		return append(uses, volumeUses(any(before).(*simcloud.Volume), after)...), nil
	default:
		return uses, nil
	}
}

// oneUse counts the resources themselves.
func (b Bucket[T, P]) oneUse(before, after *T) []Use {
	switch {
	case b.quota == "":
		return nil
	case before == nil:
		return []Use{{P(after).GetMeta().Project, b.quota, 1}}
	case after == nil:
		return []Use{{P(before).GetMeta().Project, b.quota, -1}}
	default:
		return nil
	}
}

// volumeUses counts the sizes of volumes.
func volumeUses(before, after *simcloud.Volume) (uses []Use) {
	size := func(v *simcloud.Volume, sign int) {
		if v != nil {
			uses = join(uses, Use{v.Project, simcloud.QuotaVolumeGiB, sign * v.SizeGiB})
		}
	}
	size(before, -1)
	size(after, 1)
	return uses
}

// instanceUses counts the sizes of the types of instances, and the instances of zones.
func instanceUses(tx *Tx, before, after *simcloud.Instance) (uses []Use, err error) {
	if before != nil && after != nil && before.Type == after.Type && before.Zone == after.Zone {
		return nil, nil
	}
	size := func(i *simcloud.Instance, sign int) error {
		if i == nil {
			return nil
		}
		size, err := sizeOf(tx, i.Type)
		uses = join(uses, Use{i.Project, simcloud.QuotaVCPUs, sign * size.VCPUs})
		uses = join(uses, Use{i.Project, simcloud.QuotaMemoryMiB, sign * size.MemoryMiB})
		uses = join(uses, Use{zoneUser(i.Zone), simcloud.QuotaResource(i.Type), sign})
		return err
	}
	err = size(before, -1)
	if err == nil {
		err = size(after, 1)
	}
	return uses, err
}

// zoneUser is in the place of a project where the instances of a zone are
// counted, by their types. No project has such a name.
func zoneUser(zone simcloud.ID) simcloud.ID { return zoneUserPrefix + zone }

const zoneUserPrefix = "zone/"

// userText names a project, or a zone, for humans.
func userText(user simcloud.ID) string {
	if strings.HasPrefix(string(user), zoneUserPrefix) {
		return string(user)
	}
	return "project " + string(user)
}

// InstancesIn returns how many instances of a type a zone has, of all projects.
func (tx *Tx) InstancesIn(zone, size simcloud.ID) (int, error) {
	used, err := tx.Usage(zoneUser(zone))
	return used[simcloud.QuotaResource(size)], err
}

// sizeOf returns an instance type as it is counted; one that is not there has no size.
func sizeOf(tx *Tx, id simcloud.ID) (simcloud.InstanceType, error) {
	size, err := InstanceTypes.Get(tx, id)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return size, nil
	}
	return counted(size), err
}

// counted is a type as quotas count it. Former versions took types of any size,
// whose sums would overflow.
func counted(size simcloud.InstanceType) simcloud.InstanceType {
	size.VCPUs, size.MemoryMiB = min(size.VCPUs, simcloud.MaxVCPUs), min(size.MemoryMiB, simcloud.MaxMemoryMiB)
	return size
}

// typeUses counts the instances of a type again when its size changes.
func typeUses(tx *Tx, before, after *simcloud.InstanceType) ([]Use, error) {
	var was, is simcloud.InstanceType
	if before != nil {
		was = counted(*before)
	}
	if after != nil {
		is = counted(*after)
	}
	if was.VCPUs == is.VCPUs && was.MemoryMiB == is.MemoryMiB {
		return nil, nil
	}
	id := is.ID
	if after == nil {
		id = was.ID
	}
	instances, err := Instances.Referring(tx, Ref{simcloud.KindInstanceType, id})
	var uses []Use
	for _, instance := range instances {
		uses = join(uses, Use{instance.Project, simcloud.QuotaVCPUs, is.VCPUs - was.VCPUs})
		uses = join(uses, Use{instance.Project, simcloud.QuotaMemoryMiB, is.MemoryMiB - was.MemoryMiB})
	}
	return uses, err
}
