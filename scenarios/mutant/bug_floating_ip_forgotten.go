package mutant

import (
	"context"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func floatingIPForgotten() Mutant {
	return Mutant{
		Name:     "floating-ip-forgotten",
		Title:    "the address of a deleted Service is not given back",
		Scenario: "lb-provisioning",
		Caught:   "When a Service is deleted, a CCM must remove its load balancer and its address",
		open: func(p Provider) cloudprovider.Interface {
			return p.right(keepsAddresses{p.API})
		},
	}
}

type keepsAddresses struct{ ccm.CloudAPI }

func (keepsAddresses) DeleteFloatingIP(context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Operation, error) {
	return simcloud.Operation{}, nil
}
