package observe

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// WatchedKind is a kind of objects that the snapshot shows.
type WatchedKind struct {
	Variable string
	GVR      schema.GroupVersionResource
	// Namespace returns whose objects are shown, for a scenario's own namespace; all when it is empty.
	Namespace func(own string) string
}

func ofCluster(string) string      { return metav1.NamespaceAll }
func ofSystem(string) string       { return metav1.NamespaceSystem }
func ofScenario(own string) string { return own }

// Watched are the kinds of objects that the snapshot shows.
var Watched = []WatchedKind{
	{"nodes", schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, ofCluster},
	{"pods", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, ofScenario},
	{"services", schema.GroupVersionResource{Version: "v1", Resource: "services"}, ofScenario},
	{"endpointSlices", schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}, ofScenario},
	{"deployments", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, ofScenario},
	{"persistentVolumes", schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumes"}, ofCluster},
	{"leases", schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}, ofSystem},
}

// ServicesElsewhere has, by <namespace>/<name>, the Services that are not of the scenario's namespace: a CCM makes load
// balancers for them too, so that oracles must know of them. No expression reads it.
const ServicesElsewhere = "servicesElsewhere"

// elsewhere watches all Services.
var elsewhere = WatchedKind{ServicesElsewhere, schema.GroupVersionResource{Version: "v1", Resource: "services"}, ofCluster}

// VariableFor returns where the snapshot shows the objects of a namespace; "" for those that it does not show.
func VariableFor(gvr schema.GroupVersionResource, namespace, own string) string {
	for _, w := range Watched {
		if w.GVR == gvr && w.Namespace(own) == namespace {
			return w.Variable
		}
	}
	return ""
}

// EventsGVR is the resource of the cluster's Events.
var EventsGVR = schema.GroupVersionResource{Version: "v1", Resource: "events"}

// ClusterFeed watches the cluster into a store.
type ClusterFeed struct {
	store *Store
	own   string // the scenario's namespace
	// before is called before a change goes in that must not overtake the cloud's.
	before  func()
	watches sync.WaitGroup
}

// WatchCluster feeds the store until ctx is done; close waits for the watches
// to end. It returns when the store shows the cluster as it is. Of what has no
// namespace, only is the selector of labels of what is shown; empty for all.
func WatchCluster(ctx context.Context, kube dynamic.Interface, only string, s *Store, before func()) (*ClusterFeed, error) {
	own := s.Snapshot().Namespace
	f := &ClusterFeed{store: s, own: own, before: before}
	var synced []cache.InformerSynced
	watch := func(gvr schema.GroupVersionResource, namespace, only string, handler cache.ResourceEventHandler) error {
		selected := func(o *metav1.ListOptions) { o.LabelSelector = only }
		informer := dynamicinformer.NewFilteredDynamicInformer(kube, gvr, namespace, 0, cache.Indexers{}, selected).Informer()
		done, err := f.handle(informer, handler)
		if err != nil {
			return err
		}
		synced = append(synced, done)
		// What a watch says when the API server goes away is no news to who has asked for that.
		f.watches.Go(func() { informer.RunWithContext(klog.NewContext(ctx, klog.Logger{})) })
		return nil
	}
	for _, kind := range Watched {
		namespace, selector := kind.Namespace(own), ""
		if namespace == metav1.NamespaceAll {
			selector = only
		}
		if err := watch(kind.GVR, namespace, selector, f.objectHandler(kind)); err != nil {
			return f, err
		}
	}
	if err := watch(elsewhere.GVR, metav1.NamespaceAll, "", f.objectHandler(elsewhere)); err != nil {
		return f, err
	}
	if err := watch(EventsGVR, metav1.NamespaceAll, "", f.eventHandler()); err != nil {
		return f, err
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return f, fmt.Errorf("watch the cluster: %w", context.Cause(ctx))
	}
	return f, nil
}

func (f *ClusterFeed) handle(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) (cache.InformerSynced, error) {
	if err := informer.SetTransform(dropManagedFields); err != nil {
		return nil, fmt.Errorf("watch the cluster: %w", err)
	}
	registration, err := informer.AddEventHandler(handler)
	if err != nil {
		return nil, fmt.Errorf("watch the cluster: %w", err)
	}
	return registration.HasSynced, nil
}

// dropManagedFields leaves out what no expectation reads.
func dropManagedFields(obj any) (any, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		u.SetManagedFields(nil)
	}
	return obj, nil
}

func (f *ClusterFeed) objectHandler(kind WatchedKind) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { f.set(kind, obj.(*unstructured.Unstructured)) },
		UpdateFunc: func(old, obj any) {
			before, now := old.(*unstructured.Unstructured), obj.(*unstructured.Unstructured)
			if before.GetUID() != now.GetUID() { // the watch was lost while one went and another came
				f.remove(kind, before)
			}
			f.set(kind, now)
		},
		DeleteFunc: func(obj any) {
			if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = unknown.Obj
			}
			if u, ok := obj.(*unstructured.Unstructured); ok {
				f.remove(kind, u)
			}
		},
	}
}

// keyOf returns the key by which the snapshot has an object; false when it is not shown.
func (f *ClusterFeed) keyOf(kind WatchedKind, u *unstructured.Unstructured) (key string, shown bool) {
	if kind.Variable != ServicesElsewhere {
		return u.GetName(), true
	}
	return u.GetNamespace() + "/" + u.GetName(), u.GetNamespace() != f.own
}

func (f *ClusterFeed) set(kind WatchedKind, u *unstructured.Unstructured) {
	key, shown := f.keyOf(kind, u)
	if !shown {
		return
	}
	if f.store.crossing() {
		f.before()
	}
	f.store.SetObject(kind.Variable, key, u.Object)
}

func (f *ClusterFeed) remove(kind WatchedKind, u *unstructured.Unstructured) {
	key, shown := f.keyOf(kind, u)
	if !shown {
		return
	}
	if kind.Variable == "nodes" || f.store.crossing() {
		f.before()
	}
	f.store.SetObject(kind.Variable, key, nil)
}

// eventHandler leaves the Events out that are older than the scenario.
func (f *ClusterFeed) eventHandler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) {
			if !initial {
				f.store.SetEvent(obj.(*unstructured.Unstructured).Object)
			}
		},
		UpdateFunc: func(_, obj any) { f.store.SetEvent(obj.(*unstructured.Unstructured).Object) },
	}
}

// Wait waits for the watches to end; their context is done by then.
func (f *ClusterFeed) Wait() { f.watches.Wait() }
