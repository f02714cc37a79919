package mutant

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func sameAddressInAnotherNetwork() Mutant {
	return Mutant{
		Name:     "same-address-in-another-network",
		Row:      "41",
		Title:    "VMs are known by their private addresses, in whatever network these are",
		Issues:   []string{"hcloud#470", "hcloud#472"},
		Fault:    "a VM in another network has the address of a node",
		Expected: "keep the route of the node, with no call",
		Scenario: "same-address-in-another-network",
		Caught:   "An address names a VM in its own network alone",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), routes: func(right cloudprovider.Routes) cloudprovider.Routes {
				return knowsByAddress{right, p}
			}}
		},
	}
}

// knowsByAddress tells whose a route is by the private address that it leads to.
type knowsByAddress struct {
	cloudprovider.Routes
	p Provider
}

func (k knowsByAddress) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	routes, err := k.Routes.ListRoutes(ctx, cluster)
	if err != nil {
		return nil, err
	}
	vms, err := simcloud.ListAll(ctx, k.p.API.ListInstances, simcloud.ListOptions{})
	addresses, names := map[string]string{}, map[string]string{}
	for _, vm := range vms {
		for _, a := range vm.Addresses {
			if a.Scope == simcloud.ScopePrivate {
				addresses[vm.Hostname], names[a.Address] = a.Address, vm.Hostname
			}
		}
	}
	for _, route := range routes {
		if name, known := names[addresses[string(route.TargetNode)]]; known {
			route.TargetNode = types.NodeName(name)
		}
	}
	return routes, err
}
