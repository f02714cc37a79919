package ccm

import (
	"fmt"
	"maps"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// place is where a Service is served: the zero value is a load balancer of its
// own. The others are joined: they may serve others as well.
type place struct {
	Share    string      // the word under which Services of the cluster have one together
	Balancer simcloud.ID // one that somebody else has made
}

func (p place) joined() bool { return p != place{} }

// turn names the place among the turns, so that two Services that join at the
// same time do not both make what is to be one.
func (p place) turn() types.UID {
	if p.Share != "" {
		return types.UID("share/" + p.Share)
	}
	return types.UID("load balancer/" + p.Balancer)
}

func placeOf(said settings) place { return place{Share: said.Share, Balancer: said.Balancer} }

// placeOfBalancer is the place that a joined load balancer is.
func placeOfBalancer(lb simcloud.LoadBalancer) place {
	if share := lb.Labels[LabelShare]; share != "" {
		return place{Share: share}
	}
	return place{Balancer: lb.ID}
}

// in puts what is desired into a place.
func (d desired) in(svc *v1.Service, p place) (desired, error) {
	switch {
	case p.Share != "" && p.Balancer != "":
		return desired{}, fmt.Errorf("annotations %s and %s: one of them is right", AnnotationShare, AnnotationLoadBalancerID)
	case p.Balancer != "" && len(d.Addresses.Borrowed) > 0:
		return desired{}, fmt.Errorf("annotation %s: load balancer %s keeps its own addresses", AnnotationFloatingIPs, p.Balancer)
	}
	user := map[string]string{userLabel(svc.UID): svc.Namespace + "/" + svc.Name}
	d.Place = p
	switch {
	case p.Balancer != "":
		d.Labels, d.Follows = user, true
	case p.Share != "":
		d.Name = "share." + p.Share
		d.Labels = withLabels(user, map[string]string{
			LabelCluster: d.Cluster, LabelShare: p.Share, LabelServiceName: "share/" + p.Share,
		})
	}
	return d, nil
}

// sharedBy returns what is desired, to be owned by a share.
func (d desired) sharedBy(owner types.UID) desired {
	d.Labels = maps.Clone(d.Labels)
	d.Labels[LabelServiceUID] = string(owner)
	return d
}

// shareOwner is what stands for the UID of a Service on all that a share has.
// The Service that makes the load balancer is in it, so that clusters of one name do not
// meet in the same share.
func shareOwner(share string, founder types.UID) types.UID {
	return types.UID("share." + share + "." + string(founder))
}
