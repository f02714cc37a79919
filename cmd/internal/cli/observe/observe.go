// Package observe tells the console of a cloud what goes on in the Kubernetes cluster on it.
package observe

import (
	"context"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/simcloud/console"
)

// Follow shows the Nodes, Services and Events of a cluster until ctx is done, and returns when all its watches have ended.
func Follow(ctx context.Context, kube kubernetes.Interface, shown *console.Cluster) {
	core := kube.CoreV1()
	nodes, services, events := core.Nodes(), core.Services(metav1.NamespaceAll), core.Events(metav1.NamespaceAll)
	// What a watch says when the API server goes away is shown, and belongs on no terminal.
	ctx = klog.NewContext(ctx, klog.Logger{})
	var watches sync.WaitGroup
	follow := func(what string, object runtime.Object, list cache.ListWithContextFunc, watch cache.WatchFuncWithContext, to cache.ReflectorStore) {
		source := cache.ToListWatcherWithWatchListSemantics(watched(what, list, watch, shown), kube)
		reflector := cache.NewReflectorWithOptions(source, object, to, cache.ReflectorOptions{Name: "console " + what})
		watches.Go(func() { reflector.RunWithContext(ctx) })
	}
	follow("nodes", &corev1.Node{}, listing(nodes.List), nodes.Watch, nodeFeed{shown})
	follow("services", &corev1.Service{}, listing(services.List), services.Watch, serviceFeed{shown})
	follow("events", &corev1.Event{}, listing(events.List), events.Watch, &eventFeed{shown: shown})
	watches.Wait()
}

// listing is a client's list of one type as the reflector wants it.
func listing[T runtime.Object](list func(context.Context, metav1.ListOptions) (T, error)) cache.ListWithContextFunc {
	return func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return list(ctx, options)
	}
}

// watched notes whether the cluster answers.
func watched(what string, list cache.ListWithContextFunc, follow cache.WatchFuncWithContext, shown *console.Cluster) *cache.ListWatch {
	note := func(err error) {
		problem := ""
		if err != nil {
			problem = cut(err.Error())
		}
		shown.SetTrouble(what, problem)
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			found, err := list(ctx, options)
			note(err)
			return found, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			stream, err := follow(ctx, options)
			note(err)
			return stream, err
		},
	}
}

// nodeFeed takes what a watch of Nodes brings. It keeps no Node itself.
type nodeFeed struct{ shown *console.Cluster }

// Add takes a Node that is new.
func (f nodeFeed) Add(obj any) error {
	if node, ok := obj.(*corev1.Node); ok {
		f.shown.SetNode(nodeOf(node))
	}
	return nil
}

// Update takes a Node that has changed.
func (f nodeFeed) Update(obj any) error { return f.Add(obj) }

// Delete takes it that a Node is gone.
func (f nodeFeed) Delete(obj any) error {
	if node, ok := obj.(*corev1.Node); ok {
		f.shown.RemoveNode(node.Name)
	}
	return nil
}

// Replace takes all Nodes.
func (f nodeFeed) Replace(objects []any, _ string) error {
	names := map[string]bool{}
	for _, obj := range objects {
		if node, ok := obj.(*corev1.Node); ok {
			names[node.Name] = true
		}
		_ = f.Add(obj)
	}
	f.shown.KeepNodes(names)
	return nil
}

// Resync does nothing.
func (nodeFeed) Resync() error { return nil }

// serviceFeed takes what a watch of Services brings.
type serviceFeed struct{ shown *console.Cluster }

// Add takes a Service that is new.
func (f serviceFeed) Add(obj any) error {
	service, ok := obj.(*corev1.Service)
	if !ok {
		return nil
	}
	if hasBalancer(service) {
		f.shown.SetService(serviceOf(service))
	} else {
		f.shown.RemoveService(idOf(service.Namespace, service.Name))
	}
	return nil
}

// Update takes a Service that has changed.
func (f serviceFeed) Update(obj any) error { return f.Add(obj) }

// Delete takes it that a Service is gone.
func (f serviceFeed) Delete(obj any) error {
	if service, ok := obj.(*corev1.Service); ok {
		f.shown.RemoveService(idOf(service.Namespace, service.Name))
	}
	return nil
}

// Replace takes all Services.
func (f serviceFeed) Replace(objects []any, _ string) error {
	ids := map[string]bool{}
	for _, obj := range objects {
		if service, ok := obj.(*corev1.Service); ok {
			ids[idOf(service.Namespace, service.Name)] = true
		}
		_ = f.Add(obj)
	}
	f.shown.KeepServices(ids)
	return nil
}

// Resync does nothing.
func (serviceFeed) Resync() error { return nil }

// eventFeed takes what a watch of Events brings. A watch that begins again lists them once more: latest is how far they were shown.
type eventFeed struct {
	shown  *console.Cluster
	latest uint64
}

// Add takes an Event that is new.
func (f *eventFeed) Add(obj any) error {
	event, ok := obj.(*corev1.Event)
	if !ok {
		return nil
	}
	if version, err := strconv.ParseUint(event.ResourceVersion, 10, 64); err == nil {
		if version <= f.latest {
			return nil
		}
		f.latest = version
	}
	of := event.InvolvedObject
	f.shown.AddEvent(timeOf(event), of.Kind, idOf(of.Namespace, of.Name), event.Type, eventOf(event))
	return nil
}

// Update takes an Event that has come once more.
func (f *eventFeed) Update(obj any) error { return f.Add(obj) }

// Delete does nothing: an Event that the cluster forgets has happened all the same.
func (*eventFeed) Delete(any) error { return nil }

// Replace takes all Events.
func (f *eventFeed) Replace(objects []any, _ string) error {
	sortByVersion(objects)
	for _, obj := range objects {
		_ = f.Add(obj)
	}
	return nil
}

// Resync does nothing.
func (*eventFeed) Resync() error { return nil }

// timeOf is when an Event has come the last time.
func timeOf(event *corev1.Event) time.Time {
	latest := event.CreationTimestamp.Time
	times := []time.Time{event.FirstTimestamp.Time, event.LastTimestamp.Time, event.EventTime.Time}
	if event.Series != nil {
		times = append(times, event.Series.LastObservedTime.Time)
	}
	for _, t := range times {
		if t.After(latest) {
			latest = t
		}
	}
	return latest.UTC()
}
