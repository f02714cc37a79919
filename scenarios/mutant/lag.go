package mutant

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// lagMutants are those whose bug shows when the API server is behind, which only the simulated one can be.
var lagMutants = []Mutant{
	{
		Name:     "swept-by-old-list",
		Title:    "at its start it deletes each load balancer whose Service its informer lacks, and that may be behind",
		KilledBy: "time-travel-new-service",
		Reason:   "must not take a load balancer for left over",
		informers: func(cloud *client.Client, factory informers.SharedInformerFactory) {
			go sweep(cloud, factory)
		},
	},
	{
		Name:     "tombstone-unknown",
		Title:    "what an informer says of a deletion is taken for a Service, also when the deletion itself was not seen",
		KilledBy: "unobserved-recreation",
		Reason:   "A CCM that sees another Service where one was",
		informers: func(_ *client.Client, factory informers.SharedInformerFactory) {
			deleted := func(object any) {
				klog.V(2).InfoS("The Service is gone", "service", klog.KObj(object.(*corev1.Service)))
			}
			_, err := factory.Core().V1().Services().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: deleted})
			if err != nil {
				panic(err) // the informer has not begun
			}
		},
	},
}

// sweepTimeout is how long the informer may take to know the Services.
const sweepTimeout = time.Minute

// sweep deletes load balancers of Services that the informer does not know.
func sweep(cloud *client.Client, factory informers.SharedInformerFactory) {
	ctx, cancel := context.WithTimeout(context.Background(), sweepTimeout)
	defer cancel()
	services := factory.Core().V1().Services()
	if !cache.WaitForCacheSync(ctx.Done(), services.Informer().HasSynced) {
		return
	}
	known := map[string]bool{}
	all, _ := services.Lister().List(labels.Everything()) // a lister reads its memory, and fails in no way
	for _, svc := range all {
		known[string(svc.UID)] = true
	}
	lbs, err := simcloud.ListAll(ctx, cloud.ListLoadBalancers, simcloud.ListOptions{})
	for _, lb := range lbs {
		if uid := lb.Labels[label.ServiceUID]; uid != "" && !known[uid] {
			_, err = cloud.DeleteLoadBalancer(ctx, lb.ID)
		}
	}
	klog.V(2).InfoS("Deleted what was left over", "err", err)
}
