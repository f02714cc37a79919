package mutant

import (
	"context"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func lbIDTakenOver() Mutant {
	return Mutant{
		Name:     "lb-id-taken-over",
		Row:      "31",
		Title:    "an id in an annotation is believed, whosever load balancer it is",
		Issues:   []string{"digitalocean#556", "digitalocean#916", "digitalocean#224", "digitalocean#268"},
		Fault:    "a Service names the load balancer of another; the one that a Service names is deleted",
		Expected: "the first is refused, and the second gets one when it names none any more",
		Scenario: "lb-id-taken-over",
		Caught:   "A CCM must refuse a load balancer that was made for another Service",
		open: func(p Provider) cloudprovider.Interface {
			return p.right(asksNoOwner{p.API})
		},
	}
}

// asksNoOwner looks a load balancer up by its id, and does not look whose it is.
type asksNoOwner struct{ *client.Client }

func (a asksNoOwner) GetLoadBalancer(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error) {
	lb, err := a.Client.GetLoadBalancer(ctx, id)
	delete(lb.Labels, label.ServiceUID)
	return lb, err
}
