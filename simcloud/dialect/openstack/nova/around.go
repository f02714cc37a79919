package nova

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// around is what servers refer to: the names of networks and security groups, and their floating IPs.
type around struct {
	networks, groups map[simcloud.ID]string
	floating         map[simcloud.ID][]string
}

// aroundAll reads what all servers refer to.
func aroundAll(c service.Call) (around, error) {
	a, err := named(c)
	if err != nil {
		return a, err
	}
	fips, err := service.All(c, c.Cloud.ListFloatingIPs)
	a.add(fips)
	return a, err
}

// aroundOne reads what one server refers to.
func aroundOne(c service.Call, id simcloud.ID) (around, error) {
	a, err := named(c)
	if err != nil {
		return a, err
	}
	fips, err := simcloud.ListAll(c.Ctx(), c.Cloud.ListFloatingIPs, simcloud.ListOptions{
		PageSize: simcloud.MaxPageSize, RefersTo: simcloud.Ref(simcloud.KindInstance, id),
	})
	a.add(fips)
	return a, err
}

// named reads the names of networks and of security groups: there are few.
func named(c service.Call) (around, error) {
	a := around{map[simcloud.ID]string{}, map[simcloud.ID]string{}, map[simcloud.ID][]string{}}
	networks, err := service.All(c, c.Cloud.ListNetworks)
	if err != nil {
		return a, err
	}
	for _, n := range networks {
		a.networks[n.ID] = n.Name
	}
	groups, err := service.All(c, c.Cloud.ListSecurityGroups)
	for _, g := range groups {
		a.groups[g.ID] = g.Name
	}
	return a, err
}

func (a around) add(fips []simcloud.FloatingIP) {
	for _, fip := range fips {
		if fip.AttachedTo.Kind == simcloud.KindInstance {
			a.floating[fip.AttachedTo.ID] = append(a.floating[fip.AttachedTo.ID], fip.Address)
		}
	}
}
