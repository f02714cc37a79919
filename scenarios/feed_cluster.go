package scenarios

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// watchedKind is a kind of objects that the snapshot shows.
type watchedKind struct {
	variable   string
	gvr        schema.GroupVersionResource
	namespaced bool // of the scenario's namespace alone
}

var watched = []watchedKind{
	{"nodes", schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, false},
	{"pods", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, true},
	{"services", schema.GroupVersionResource{Version: "v1", Resource: "services"}, true},
	{"endpointSlices", schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}, true},
	{"deployments", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, true},
}

var eventsGVR = schema.GroupVersionResource{Version: "v1", Resource: "events"}

// clusterFeed watches the cluster into a store.
type clusterFeed struct {
	store *store
	// before is called before a change goes in that must not overtake the cloud's.
	before    func()
	factories []dynamicinformer.DynamicSharedInformerFactory
}

// watchCluster feeds the store until ctx is done; close waits for the watches
// to end. It returns when the store shows the cluster as it is.
func watchCluster(ctx context.Context, kube dynamic.Interface, s *store, before func()) (*clusterFeed, error) {
	f := &clusterFeed{store: s, before: before}
	everywhere := dynamicinformer.NewDynamicSharedInformerFactory(kube, 0)
	here := dynamicinformer.NewFilteredDynamicSharedInformerFactory(kube, 0, s.snapshot().namespace, nil)
	f.factories = append(f.factories, everywhere, here)
	var synced []cache.InformerSynced
	for _, kind := range watched {
		factory := everywhere
		if kind.namespaced {
			factory = here
		}
		done, err := f.handle(factory.ForResource(kind.gvr).Informer(), f.objectHandler(kind))
		if err != nil {
			return nil, err
		}
		synced = append(synced, done)
	}
	done, err := f.handle(everywhere.ForResource(eventsGVR).Informer(), f.eventHandler())
	if err != nil {
		return nil, err
	}
	for _, factory := range f.factories {
		factory.Start(ctx.Done())
	}
	if !cache.WaitForCacheSync(ctx.Done(), append(synced, done)...) {
		return f, fmt.Errorf("watch the cluster: %w", context.Cause(ctx))
	}
	return f, nil
}

func (f *clusterFeed) handle(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) (cache.InformerSynced, error) {
	if err := informer.SetTransform(dropManagedFields); err != nil {
		return nil, fmt.Errorf("watch the cluster: %w", err)
	}
	registration, err := informer.AddEventHandler(handler)
	if err != nil {
		return nil, fmt.Errorf("watch the cluster: %w", err)
	}
	return registration.HasSynced, nil
}

// dropManagedFields leaves out what nobody expects anything of.
func dropManagedFields(obj any) (any, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		u.SetManagedFields(nil)
	}
	return obj, nil
}

func (f *clusterFeed) objectHandler(kind watchedKind) cache.ResourceEventHandler {
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

func (f *clusterFeed) set(kind watchedKind, u *unstructured.Unstructured) {
	if f.store.crossing() {
		f.before()
	}
	f.store.setObject(kind.variable, u.GetName(), u.Object)
}

func (f *clusterFeed) remove(kind watchedKind, u *unstructured.Unstructured) {
	if kind.variable == "nodes" || f.store.crossing() {
		f.before()
	}
	f.store.setObject(kind.variable, u.GetName(), nil)
}

// eventHandler leaves the Events out that are older than the scenario.
func (f *clusterFeed) eventHandler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) {
			if !initial {
				f.store.setEvent(obj.(*unstructured.Unstructured).Object)
			}
		},
		UpdateFunc: func(_, obj any) { f.store.setEvent(obj.(*unstructured.Unstructured).Object) },
	}
}

// close waits for the watches to end; their context is done by then.
func (f *clusterFeed) close() {
	for _, factory := range f.factories {
		factory.Shutdown()
	}
}
