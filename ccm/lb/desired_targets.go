package lb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// desire is what the load balancer is to be. A Service that asks for what
// cannot be is told so, before anything has changed.
func (l *Balancers) desire(ctx context.Context, cluster string, svc *v1.Service, nodes []*v1.Node) (desired, error) {
	want, err := desire(cluster, svc, nil, l.config)
	if err != nil {
		l.deps.Events.warning(svc, ReasonInvalid, "%v", err)
		return desired{}, fmt.Errorf("service %s/%s: %w", svc.Namespace, svc.Name, err)
	}
	targets, err := l.targetsOf(ctx, nodes)
	if err != nil {
		return desired{}, call.RetryLater(err)
	}
	want.Targets = want.targetSpecs(targets)
	return want, nil
}

// targetsOf returns the instances of nodes. A Node that is not initialised yet
// comes back once it is: its provider id is a change that the controller follows.
// A Node that the cloud could not be asked about is an error, because it may be a target now.
func (l *Balancers) targetsOf(ctx context.Context, nodes []*v1.Node) ([]simcloud.ID, error) {
	var ids []simcloud.ID
	for _, node := range nodes {
		if node.Spec.ProviderID == "" {
			klog.V(2).InfoS("The node is not a target until it has a provider id", "node", node.Name)
			continue
		}
		id, err := l.deps.Regions.Parse(ctx, node.Spec.ProviderID)
		switch {
		case err != nil && !errors.Is(err, providerid.ErrForeign):
			return nil, fmt.Errorf("node %s: %w", node.Name, err)
		case err != nil:
			klog.InfoS("The node is not a target", "node", node.Name, "reason", err.Error())
		default:
			ids = append(ids, id.Instance)
		}
	}
	return ids, nil
}

// targetSpecs are targets for instances. Those of a joined load balancer say
// whose cluster they are of: one that its Service has left is for the others of that cluster.
func (d desired) targetSpecs(ids []simcloud.ID) []simcloud.TargetSpec {
	labels := label.OfPart(d.UID)
	if d.Ref.joined() {
		labels[label.Cluster] = d.Cluster
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	specs := []simcloud.TargetSpec{}
	for _, id := range slices.Compact(ids) {
		specs = append(specs, simcloud.TargetSpec{Instance: id, Weight: 1, Labels: labels})
	}
	return specs
}

func (l *Balancers) skipTarget(svc *v1.Service, instance simcloud.ID, err error) {
	l.deps.Events.warning(svc, ReasonTargetSkipped, "Instance %s is not a target of the load balancer: %v", instance, err)
}

// recordSkippedNodes emits an Event about the Nodes that are no targets because there is no room for them.
func (l *Balancers) recordSkippedNodes(svc *v1.Service, lb simcloud.LoadBalancer, want desired) {
	if left := leftOut(lb, want); len(left) > 0 {
		l.deps.Events.warning(svc, ReasonTargetsLimited, "Load balancer %s takes %d targets: %d of %d Nodes are left out: %s",
			lb.ID, lb.MaxTargets, len(left), len(want.Targets), some(left))
	}
}

// maxNamed is how many instances an Event names. There may be thousands.
const maxNamed = 5

func some(ids []simcloud.ID) string {
	if len(ids) <= maxNamed {
		return fmt.Sprint(ids)
	}
	return fmt.Sprintf("%v and %d more", ids[:maxNamed], len(ids)-maxNamed)
}
