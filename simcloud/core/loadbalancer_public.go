package core

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// setPublic turns the public addresses of a load balancer off or on; nil leaves
// them. As at Hetzner they are turned off only when all traffic can be private.
func setPublic(lb *simcloud.LoadBalancer, disabled *bool) error {
	if disabled == nil || *disabled == lb.PublicDisabled {
		return nil
	}
	if *disabled {
		if err := canDisablePublic(*lb); err != nil {
			return err
		}
	}
	lb.PublicDisabled = *disabled
	return nil
}

func canDisablePublic(lb simcloud.LoadBalancer) error {
	ref := simcloud.Ref(simcloud.KindLoadBalancer, lb.ID)
	if lb.Scheme == simcloud.SchemeInternal {
		return simcloud.Errorf(simcloud.Conflict, ref, "it is internal: it has no public addresses")
	}
	if len(lb.Networks()) == 0 {
		return simcloud.Errorf(simcloud.Conflict, ref, "it is attached to no network: nothing could reach it")
	}
	if i := slices.IndexFunc(lb.Targets, func(t simcloud.Target) bool { return !t.UsePrivateIP }); i >= 0 {
		return simcloud.Errorf(simcloud.Conflict, ref, "it reaches its target %s not by a private address: add that with usePrivateIP first", lb.Targets[i].Key())
	}
	return nil
}
