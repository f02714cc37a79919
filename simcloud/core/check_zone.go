package core

import "github.com/simcloud-dev/simcloud/simcloud"

// zones checks that all who depend on the state of a zone know it.
func (i *inspection) zones() {
	zones := map[simcloud.ID]simcloud.Zone{}
	of := map[simcloud.ID][]simcloud.Zone{}
	for _, zone := range i.state.Zones {
		zones[zone.ID] = zone
		of[zone.Region] = append(of[zone.Region], zone)
		for id := range zone.Capacity {
			i.refers(simcloud.KindZone, zone.Meta, simcloud.KindInstanceType, id)
		}
	}
	for _, region := range i.state.Regions {
		if want := regionState(of[region.ID]); region.State != want {
			i.fail("%s is %s, its zones make it %s", region.ID, region.State, want)
		}
	}
	for _, instance := range i.state.Instances {
		if want := isUnreachable(instance, zones[instance.Zone]); instance.Unreachable != want {
			i.fail("%s is unreachable: %t; %s in %s, which is %s, should be: %t",
				instance.ID, instance.Unreachable, instance.State, instance.Zone, zones[instance.Zone].State, want)
		}
	}
}
