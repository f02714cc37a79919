package core

import (
	"cmp"
	"maps"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func (s *seeding) regions() seedPart {
	p := &kindPart[simcloud.Region, *simcloud.Region, simcloud.TopologyRegion]{s: s, bucket: store.Regions}
	p.wanted, p.listed = entries(s.want.Regions, "regions", func(r simcloud.TopologyRegion) string { return r.Name })
	p.fits = func(simcloud.Region, simcloud.TopologyRegion) bool { return true }
	p.delete = func(have simcloud.Region) error {
		_, err := s.do.DeleteRegion(s.ctx, have.ID)
		return err
	}
	p.create = func(want simcloud.TopologyRegion) error {
		_, err := s.do.CreateRegion(s.ctx, want.RegionSpec)
		return err
	}
	p.update = func(have simcloud.Region, want simcloud.TopologyRegion) error {
		return relabel(s, store.Regions, have, want.Labels)
	}
	return p
}

// seedZone is a zone of a topology with its region.
type seedZone struct {
	simcloud.TopologyZone
	region simcloud.ID
}

// wantedZones returns the zones of all regions.
func (s *seeding) wantedZones() (all []entry[seedZone], listed bool) {
	if s.want.Regions == nil {
		return nil, false
	}
	for i, region := range *s.want.Regions {
		for n, zone := range region.Zones {
			path := seedPath("regions", i) + seedPath("zones", n)
			all = append(all, entry[seedZone]{path, zone.Name, seedZone{zone, simcloud.ID(region.Name)}})
		}
	}
	return all, true
}

func (z seedZone) state() simcloud.ZoneState { return cmp.Or(z.State, simcloud.ZoneAvailable) }

func (s *seeding) zones() seedPart {
	p := &kindPart[simcloud.Zone, *simcloud.Zone, seedZone]{s: s, bucket: store.Zones}
	p.wanted, p.listed = s.wantedZones()
	p.fits = func(have simcloud.Zone, want seedZone) bool { return have.Region == want.region }
	p.delete = func(have simcloud.Zone) error {
		_, err := s.do.DeleteZone(s.ctx, have.ID)
		return err
	}
	p.create = func(want seedZone) error {
		_, err := s.do.CreateZone(s.ctx, simcloud.ZoneSpec{
			Name: want.Name, Region: want.region, Capacity: want.Capacity, Labels: want.Labels,
		})
		return err
	}
	p.update = s.updateZone
	return p
}

// updateZone changes a zone that is there. It gets better before anything is
// made in it; worse it gets when all is made.
func (s *seeding) updateZone(have simcloud.Zone, want seedZone) error {
	update := simcloud.ZoneUpdate{Labels: newLabels(have.Labels, want.Labels)}
	if !maps.Equal(have.Capacity, want.Capacity) {
		update.Capacity = &want.Capacity
	}
	if update != (simcloud.ZoneUpdate{}) {
		if _, err := s.do.UpdateZone(s.ctx, have.ID, update); err != nil {
			return err
		}
	}
	if severity(want.state()) >= severity(have.State) {
		return nil
	}
	_, err := s.do.SetZoneState(s.ctx, have.ID, simcloud.ZoneStateSpec{State: want.state()})
	return err
}

func severity(state simcloud.ZoneState) int {
	switch state {
	case simcloud.ZoneDown:
		return 2
	case simcloud.ZoneDegraded:
		return 1
	case simcloud.ZoneAvailable:
	}
	return 0
}

// worsenZones brings zones to the states in which nothing more could have been made in them.
func (s *seeding) worsenZones() error {
	wanted, _ := s.wantedZones()
	for _, e := range wanted {
		zone, err := store.Zones.Get(s.tx, simcloud.ID(e.name))
		if err != nil {
			return err
		}
		if zone.State == e.spec.state() {
			continue
		}
		if _, err := s.do.SetZoneState(s.ctx, zone.ID, simcloud.ZoneStateSpec{State: e.spec.state()}); err != nil {
			return inPart(e.path, err)
		}
		s.updated(simcloud.Ref(simcloud.KindZone, zone.ID))
	}
	return nil
}

func (s *seeding) instanceTypes() seedPart {
	p := &kindPart[simcloud.InstanceType, *simcloud.InstanceType, simcloud.InstanceTypeSpec]{s: s, bucket: store.InstanceTypes}
	p.wanted, p.listed = entries(s.want.InstanceTypes, "instanceTypes", func(t simcloud.InstanceTypeSpec) string { return t.Name })
	p.fits = func(have simcloud.InstanceType, want simcloud.InstanceTypeSpec) bool {
		return have.VCPUs == want.VCPUs && have.MemoryMiB == want.MemoryMiB
	}
	p.delete = func(have simcloud.InstanceType) error {
		_, err := s.do.DeleteInstanceType(s.ctx, have.ID)
		return err
	}
	p.create = func(want simcloud.InstanceTypeSpec) error {
		_, err := s.do.CreateInstanceType(s.ctx, want)
		return err
	}
	p.update = func(have simcloud.InstanceType, want simcloud.InstanceTypeSpec) error {
		return relabel(s, store.InstanceTypes, have, want.Labels)
	}
	return p
}

func (s *seeding) pools() seedPart {
	p := &kindPart[simcloud.FloatingIPPool, *simcloud.FloatingIPPool, simcloud.FloatingIPPoolSpec]{s: s, bucket: store.FloatingIPPools}
	p.wanted, p.listed = entries(s.want.FloatingIPPools, "floatingIPPools", func(f simcloud.FloatingIPPoolSpec) string { return f.Name })
	p.fits = func(have simcloud.FloatingIPPool, want simcloud.FloatingIPPoolSpec) bool {
		return sameRanges([]string{have.CIDR}, []string{want.CIDR})
	}
	p.delete = func(have simcloud.FloatingIPPool) error {
		_, err := s.do.DeleteFloatingIPPool(s.ctx, have.ID)
		return err
	}
	p.create = func(want simcloud.FloatingIPPoolSpec) error {
		_, err := s.do.CreateFloatingIPPool(s.ctx, want)
		return err
	}
	p.update = func(have simcloud.FloatingIPPool, want simcloud.FloatingIPPoolSpec) error {
		return relabel(s, store.FloatingIPPools, have, want.Labels)
	}
	return p
}
