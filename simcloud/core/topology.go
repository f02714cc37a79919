package core

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// topology is what a new cloud has, and what a reset leads back to.
type topology struct {
	projects []simcloud.Project
	regions  []simcloud.Region
	zones    []simcloud.Zone
	types    []simcloud.InstanceType
	pools    []simcloud.FloatingIPPool
	networks []simcloud.Network
	tables   []simcloud.RouteTable
}

const defaultNetwork, defaultTable = "net-1", "rt-1"

func (r ranges) topology() topology {
	named := func(name string) simcloud.Meta { return simcloud.Meta{ID: simcloud.ID(name), Name: name} }
	owned := func(id simcloud.ID, name string) simcloud.Meta {
		return simcloud.Meta{ID: id, Name: name, Project: simcloud.DefaultProject}
	}
	zone := func(name string) simcloud.Zone {
		return simcloud.Zone{Meta: named(name), Region: "region-1", State: simcloud.ZoneAvailable}
	}
	return topology{
		projects: []simcloud.Project{{Meta: owned(simcloud.DefaultProject, string(simcloud.DefaultProject))}},
		regions:  []simcloud.Region{{Meta: named("region-1"), State: simcloud.ZoneAvailable}},
		zones:    []simcloud.Zone{zone("zone-a"), zone("zone-b"), zone("zone-c")},
		types: []simcloud.InstanceType{
			{Meta: named("small"), VCPUs: 2, MemoryMiB: 4096},
			{Meta: named("medium"), VCPUs: 4, MemoryMiB: 8192},
			{Meta: named("large"), VCPUs: 8, MemoryMiB: 16384},
		},
		pools: []simcloud.FloatingIPPool{
			{Meta: named(FloatingPool), CIDR: r.pool(FloatingPoolCIDR)},
			{Meta: named(FloatingPoolV6), CIDR: r.pool(FloatingPoolV6CIDR)},
		},
		networks: []simcloud.Network{{
			Meta: owned(defaultNetwork, "default"), CIDRs: r.network(), State: simcloud.NetworkAvailable,
		}},
		tables: []simcloud.RouteTable{{
			Meta: owned(defaultTable, "default"), Network: defaultNetwork,
			Limit: simcloud.DefaultRouteLimit, Routes: []simcloud.Route{},
		}},
	}
}

// keeps reports whether a reset leaves a resource there; for an empty id,
// whether it leaves any of the kind. Tokens stay, with
// their projects; so do quotas, without their limits.
func (t topology) keeps(kind simcloud.Kind, id simcloud.ID) bool {
	ids := map[simcloud.Kind][]simcloud.ID{
		simcloud.KindRegion:         idsOf(t.regions),
		simcloud.KindZone:           idsOf(t.zones),
		simcloud.KindInstanceType:   idsOf(t.types),
		simcloud.KindFloatingIPPool: idsOf(t.pools),
		simcloud.KindNetwork:        idsOf(t.networks),
		simcloud.KindRouteTable:     idsOf(t.tables),
	}[kind]
	if kind == simcloud.KindProject || kind == simcloud.KindToken || kind == simcloud.KindQuota || id == "" && len(ids) > 0 {
		return true
	}
	for _, kept := range ids {
		if kept == id {
			return true
		}
	}
	return false
}

func idsOf[T any, P store.Resource[T]](items []T) []simcloud.ID {
	ids := make([]simcloud.ID, len(items))
	for i := range items {
		ids[i] = P(&items[i]).GetMeta().ID
	}
	return ids
}

// makeTopology makes the default topology, as far as it is not there.
func (t *txn) makeTopology() error {
	defaults := t.cloud.ranges.topology()
	for _, err := range []error{
		restore(t, store.Projects, defaults.projects), restore(t, store.Regions, defaults.regions),
		restore(t, store.Zones, defaults.zones), restore(t, store.InstanceTypes, defaults.types),
		restore(t, store.FloatingIPPools, defaults.pools),
		restore(t, store.Networks, defaults.networks), restore(t, store.RouteTables, defaults.tables),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// restore brings resources to what they should be. Those that are so already do not change.
func restore[T any, P store.Resource[T]](t *txn, b store.Bucket[T, P], wanted []T) error {
	for i := range wanted {
		want := P(&wanted[i])
		have, err := b.Get(t.tx, want.GetMeta().ID)
		switch {
		case simcloud.CodeOf(err) == simcloud.NotFound:
			err = b.Restore(t.tx, t.now, want)
		case err == nil:
			meta := P(&have).GetMeta()
			want.GetMeta().Created, want.GetMeta().Updated, want.GetMeta().Version = meta.Created, meta.Updated, meta.Version
			if !same(have, wanted[i]) {
				err = b.Update(t.tx, t.now, want)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
