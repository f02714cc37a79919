package mutant

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"
)

func untaintedWithoutProviderID() Mutant {
	return Mutant{
		Name:     "untainted-without-provider-id",
		Row:      "14",
		Title:    "a passing error while the provider id is looked for is taken for \"there are none in this cloud\"",
		Issues:   []string{"kubernetes#122286", "kubernetes#123024", "kubernetes#123401", "kubernetes#123713", "kubernetes#87043"},
		Fault:    "the cloud answers 500 to the first question about a VM",
		Expected: "keep the taint until the Node has a provider id",
		Scenario: "untainted-without-provider-id",
		Caught:   "A CCM must not remove the taint before the node has its providerID",
		open: func(p Provider) cloudprovider.Interface {
			p.Config.InstancesV1 = true
			return cloud{Cloud: p.right(p.API), instancesV1: func(right cloudprovider.Instances) cloudprovider.Instances {
				return errorIsNoID{right}
			}}
		},
	}
}

// errorIsNoID goes on without a provider id when it does not get one.
type errorIsNoID struct{ cloudprovider.Instances }

func (e errorIsNoID) InstanceID(ctx context.Context, name types.NodeName) (string, error) {
	id, err := e.Instances.InstanceID(ctx, name)
	if err != nil && !errors.Is(err, cloudprovider.InstanceNotFound) {
		return "", cloudprovider.NotImplemented
	}
	return id, err
}
