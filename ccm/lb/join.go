package lb

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// checkJoin refuses to join a load balancer that cannot serve the Service as it
// asks, or that has its ports taken. Nothing has changed until then.
func (l *Balancers) checkJoin(want desired, lb simcloud.LoadBalancer) error {
	ref := simcloud.Ref(simcloud.KindLoadBalancer, lb.ID)
	alone := want.Ref.Share != "" && len(l.deps.Services.others(lb, want.UID)) == 0
	switch owner := lb.Labels[label.ServiceUID]; {
	case want.Ref.Balancer != "" && owner != "":
		return simcloud.Errorf(simcloud.InUse, ref, "annotation %s: it was made for %s, and is deleted with it: to share one, both Services need the annotation %s",
			annotation.LoadBalancerID, lb.Labels[label.ServiceName], annotation.Share)
	case lb.Scheme != want.Scheme && !alone:
		return simcloud.Errorf(simcloud.InUse, ref, "it is %s and serves others, and the Service asks for one that is %s: see the annotation %s",
			lb.Scheme, want.Scheme, annotation.Internal)
	case want.Ref.Balancer != "" && lb.State == simcloud.LoadBalancerError:
		return simcloud.Errorf(simcloud.InUse, ref, "it is in state error (%s): its owner has to fail it over", lb.StatusText)
	}
	if want.Follows {
		if err := checkAddresses(want, lb); err != nil {
			return err
		}
	}
	if uses(want.UID, lb) {
		return nil // then a port that is taken does not stop the rest
	}
	_, err := planListeners(lb, want)
	return err
}

// checkAddresses refuses a Service that asks for an address which the load
// balancer does not have, and which is not its to give.
func checkAddresses(want desired, lb simcloud.LoadBalancer) error {
	var missing []string
	for _, f := range want.Addresses.Families {
		asked := want.Addresses.Asked[f]
		if asked != "" && !slices.ContainsFunc(lb.VIPs, func(vip simcloud.VIP) bool { return vip.Address == asked }) {
			missing = append(missing, asked)
		}
	}
	for _, id := range want.Addresses.Borrowed {
		if !slices.ContainsFunc(lb.VIPs, func(vip simcloud.VIP) bool { return vip.FloatingIP == id }) {
			missing = append(missing, string(id))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return simcloud.Errorf(simcloud.InUse, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
		"it serves others and does not have the address %s, which the Service asks for", strings.Join(missing, ", "))
}

// recordIgnoredSettings says which wishes of a Service do not count, because they
// concern a load balancer that others decide upon.
func (l *Balancers) recordIgnoredSettings(svc *v1.Service, want desired, lb simcloud.LoadBalancer) {
	if !want.Follows {
		return
	}
	if _, asks := svc.Annotations[annotation.Algorithm]; asks && want.Algorithm != lb.Algorithm {
		l.deps.Events.warning(svc, ReasonNotFollowed, "Load balancer %s stays %s instead of %s: its owner decides that", lb.ID, lb.Algorithm, want.Algorithm)
	}
	if want.Affinity.ClientIP && want.Affinity != lb.Affinity {
		l.deps.Events.warning(svc, ReasonNotFollowed, "Load balancer %s does not follow spec.sessionAffinity: its owner decides that", lb.ID)
	}
}
