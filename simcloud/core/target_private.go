package core

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// canReach answers Conflict when no way leads from a load balancer to an
// instance: a private one needs a network that both are in, a public one the public addresses.
func canReach(lb simcloud.LoadBalancer, instance simcloud.Instance, private bool) error {
	ref := simcloud.Ref(simcloud.KindLoadBalancer, lb.ID)
	networks := lb.Networks()
	switch {
	case private && len(networks) == 0:
		return simcloud.Errorf(simcloud.Conflict, ref, "it is attached to no network: it reaches no instance by a private address")
	case private && !shareNetwork(lb, instance):
		return simcloud.Errorf(simcloud.Conflict, ref, "instance %s is in %v, to which it is not attached (attached to %v)",
			instance.ID, instance.Networks(), networks)
	case !private && lb.PublicDisabled:
		return simcloud.Errorf(simcloud.Conflict, ref, "its public addresses are turned off: it reaches instances only with usePrivateIP")
	}
	return nil
}

// dropUnreachable removes the private targets that no network leads to any
// more. One whose instance is gone stays as long as there is a network: no one knows which it was in.
func (t *txn) dropUnreachable(lb *simcloud.LoadBalancer) error {
	var failure error
	lb.Targets = slices.DeleteFunc(lb.Targets, func(target simcloud.Target) bool {
		if !target.UsePrivateIP || failure != nil {
			return false
		}
		if target.Address != "" {
			err := t.canReachAddress(*lb, target.Address, true)
			if simcloud.CodeOf(err) != simcloud.Conflict {
				failure = err
			}
			return err != nil && failure == nil
		}
		instance, err := t.instanceOf(target.Instance)
		failure = err
		if instance.ID == "" {
			return len(lb.Networks()) == 0
		}
		return !shareNetwork(*lb, instance)
	})
	return failure
}

// shareNetwork reports whether a load balancer and an instance are attached to one network.
func shareNetwork(lb simcloud.LoadBalancer, instance simcloud.Instance) bool {
	return slices.ContainsFunc(instance.Networks(), lb.AttachedTo)
}
