package ccm

import (
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// serve lets the provider know the Services of its cluster.
func (w *world) serve(services ...*v1.Service) {
	w.t.Helper()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, svc := range services {
		if err := indexer.Add(svc); err != nil {
			w.t.Fatal(err)
		}
	}
	w.cloud.services.Use(corelisters.NewServiceLister(indexer))
}

// strangersLB makes a load balancer, lb-1, as another client would: with an
// address, a listener and a target of its own.
func (w *world) strangersLB(scheme simcloud.Scheme) simcloud.LoadBalancer {
	w.t.Helper()
	stranger, err := providerid.Parse(w.boot("stranger").Spec.ProviderID)
	if err != nil {
		w.t.Fatal(err)
	}
	made, err := w.api.CreateLoadBalancer(w.ctx(), simcloud.LoadBalancerSpec{
		Name: "by-hand", Labels: map[string]string{"team": "net"}, Scheme: scheme, Algorithm: simcloud.LeastConnections,
		Listeners: []simcloud.ListenerSpec{{Protocol: simcloud.ProtocolTCP, Port: 22, ListenerConfig: simcloud.ListenerConfig{TargetPort: 22}}},
		Targets:   []simcloud.TargetSpec{{Instance: stranger.Instance}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if scheme == simcloud.SchemePublic {
		if _, err := w.api.CreateFloatingIP(w.ctx(), simcloud.FloatingIPSpec{Name: "by-hand", AttachedTo: simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: made.Resource.ID}}); err != nil {
			w.t.Fatal(err)
		}
	}
	return w.lb(made.Resource.ID)
}

func (w *world) lb(id simcloud.ID) simcloud.LoadBalancer {
	w.t.Helper()
	lb, err := w.api.GetLoadBalancer(w.ctx(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return lb
}

// timeless is a load balancer without what every change of it changes.
func timeless(lb simcloud.LoadBalancer) simcloud.LoadBalancer {
	lb.Version, lb.Updated = 0, time.Time{}
	return lb
}

// wantRefusal reports a Service that is served, or refused with another Event.
func (w *world) wantRefusal(svc *v1.Service, words string) {
	w.t.Helper()
	before := w.state().Revision
	w.told()
	if _, err := w.ensure(svc); err == nil {
		w.t.Errorf("no error, want one with %q", words)
	}
	events := w.told()
	if !slices.ContainsFunc(events, func(e string) bool { return strings.HasPrefix(e, "Warning") && strings.Contains(e, words) }) {
		w.t.Errorf("no Warning has %q: %q", words, events)
	}
	if after := w.state().Revision; after != before {
		w.t.Errorf("what is refused has changed the cloud, from revision %d to %d", before, after)
	}
}
