package mutant

import (
	"context"
	"errors"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func eachVMAskedFor() Mutant {
	return Mutant{
		Name:     "each-vm-asked-for",
		Title:    "for each route each VM is asked for, each time that routes are looked at",
		Issues:   []string{"hcloud#661", "kubernetes#26119"},
		Scenario: "plain-day",
		Caught:   `call-budget the CCM made`,
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), routes: func(right cloudprovider.Routes) cloudprovider.Routes {
				return asking{right, p.API}
			}}
		},
	}
}

// asking finds the VM of a route by asking for one after the other.
type asking struct {
	cloudprovider.Routes
	api *client.Client
}

func (a asking) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	routes, err := a.Routes.ListRoutes(ctx, cluster)
	if err != nil {
		return nil, err
	}
	vms, err := simcloud.ListAll(ctx, a.api.ListInstances, simcloud.ListOptions{})
	if err != nil {
		return nil, err
	}
	for range routes {
		for _, vm := range vms {
			if _, err := a.api.GetInstance(ctx, vm.ID); err != nil && !errors.Is(err, simcloud.NotFound) {
				return nil, err
			}
		}
	}
	return routes, nil
}
