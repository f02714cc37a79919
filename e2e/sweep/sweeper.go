// Package sweep removes objects from clusters: all that a control plane did not
// begin with, or all that carries a mark.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// Sweeper empties a cluster faster than its own controllers would: those wait
// 5 s before they look at a deleted namespace, and for ever for a finalizer
// whose controller does not run.
type Sweeper struct {
	kube       kubernetes.Interface
	meta       metadata.Interface
	namespaced []schema.GroupVersionResource // what a namespace can hold
	kept       *Baseline
}

// sweepPeriod is how long a sweep waits before it looks again.
const sweepPeriod = 50 * time.Millisecond

// New returns a sweeper of all but what the baseline has.
func New(access *rest.Config, kube kubernetes.Interface, kept *Baseline) (*Sweeper, error) {
	access = rest.CopyConfig(access)
	access.WarningHandler = rest.NoWarnings{} // that a resource is deprecated is no reason to leave it
	meta, err := metadata.NewForConfig(access)
	if err != nil {
		return nil, err
	}
	lists, err := kube.Discovery().ServerPreferredNamespacedResources()
	if err != nil {
		return nil, fmt.Errorf("ask the cluster for its resources: %w", err)
	}
	deletable := discovery.SupportsAllVerbs{Verbs: []string{"list", "delete", "deletecollection"}}
	found, err := discovery.GroupVersionResources(discovery.FilteredBy(deletable, lists))
	if err != nil {
		return nil, fmt.Errorf("read the cluster's resources: %w", err)
	}
	s := &Sweeper{kube: kube, meta: meta, kept: kept}
	for gvr := range found {
		s.namespaced = append(s.namespaced, gvr)
	}
	slices.SortFunc(s.namespaced, func(a, b schema.GroupVersionResource) int { return strings.Compare(a.String(), b.String()) })
	return s, nil
}

// Run sweeps until nothing is left, or until ctx ends: then the error names what is.
func (s *Sweeper) Run(ctx context.Context) error {
	if err := untilNothing(ctx, s.sweep); err != nil {
		return err
	}
	return s.purgeEvents(ctx)
}

// untilNothing sweeps until nothing is left, or until ctx ends: then the error names what is.
func untilNothing(ctx context.Context, sweep func(context.Context) (left []string, err error)) error {
	tick := time.NewTicker(sweepPeriod)
	defer tick.Stop()
	for {
		left, err := sweep(ctx)
		if err == nil && len(left) == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%w; still there: %s", errors.Join(ctx.Err(), err), strings.Join(left, ", "))
		}
	}
}

// What is swept besides the contents of namespaces.
var (
	nodesGVR       = corev1.SchemeGroupVersion.WithResource("nodes")
	podsGVR        = corev1.SchemeGroupVersion.WithResource("pods")
	servicesGVR    = corev1.SchemeGroupVersion.WithResource("services")
	volumesGVR     = corev1.SchemeGroupVersion.WithResource("persistentvolumes")
	eventsGVR      = corev1.SchemeGroupVersion.WithResource("events")
	leasesGVR      = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
	csiNodesGVR    = schema.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "csinodes"}
	attachmentsGVR = schema.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments"}
	requestsGVR    = schema.GroupVersionResource{Group: "certificates.k8s.io", Version: "v1", Resource: "certificatesigningrequests"}
)

// elected are the leases of leaders, and not those by which API servers know each other.
const elected = "!apiserver.kubernetes.io/identity"

// kept are the objects that the control plane keeps in the namespace default.
const kept = "metadata.name!=kubernetes,metadata.name!=default,metadata.name!=kube-root-ca.crt"

// sweep deletes everything once and returns what was still there.
func (s *Sweeper) sweep(ctx context.Context) (left []string, err error) {
	spaces, err := s.extraNamespaces(ctx)
	if err != nil {
		return nil, err
	}
	for _, ns := range spaces {
		left = append(left, "namespace/"+ns.Name)
		if err := s.sweepNamespace(ctx, ns); err != nil {
			return left, err
		}
	}
	for _, target := range []struct {
		resource  schema.GroupVersionResource
		namespace string
		only      metav1.ListOptions
	}{
		{servicesGVR, metav1.NamespaceDefault, metav1.ListOptions{FieldSelector: "metadata.name!=kubernetes"}},
		{podsGVR, metav1.NamespaceDefault, metav1.ListOptions{}},
		{nodesGVR, "", metav1.ListOptions{}},
		{podsGVR, metav1.NamespaceAll, s.kept.strayPods()},
		{volumesGVR, "", metav1.ListOptions{}},
		{attachmentsGVR, "", metav1.ListOptions{}},
		{csiNodesGVR, "", metav1.ListOptions{}},
		{requestsGVR, "", metav1.ListOptions{}},
		{leasesGVR, corev1.NamespaceNodeLease, metav1.ListOptions{}},
		{leasesGVR, metav1.NamespaceSystem, metav1.ListOptions{LabelSelector: elected}},
	} {
		names, err := s.remove(ctx, target.resource, target.namespace, target.only)
		left = append(left, names...)
		if err != nil {
			return left, err
		}
	}
	for _, resource := range s.namespaced {
		if err := s.purge(ctx, resource, metav1.NamespaceDefault, kept); err != nil {
			return left, err
		}
	}
	return left, nil
}

// extraNamespaces returns those that the control plane did not make.
func (s *Sweeper) extraNamespaces(ctx context.Context) ([]corev1.Namespace, error) {
	list, err := s.kube.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(ns corev1.Namespace) bool {
		return ns.Name == metav1.NamespaceDefault || strings.HasPrefix(ns.Name, "kube-") || s.kept.objects[ns.UID]
	}), nil
}

// sweepNamespace deletes a namespace and all that it holds, and, when it is
// empty, finalizes it in the place of the controller that would do so later.
func (s *Sweeper) sweepNamespace(ctx context.Context, ns corev1.Namespace) error {
	err := s.kube.CoreV1().Namespaces().Delete(ctx, ns.Name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return err
	}
	empty := true
	for _, resource := range s.namespaced {
		if err := s.purge(ctx, resource, ns.Name, ""); err != nil {
			return err
		}
		left, err := s.remove(ctx, resource, ns.Name, metav1.ListOptions{})
		if err != nil {
			return err
		}
		empty = empty && len(left) == 0
	}
	if !empty {
		return nil
	}
	ns.Spec.Finalizers = nil
	ns.ResourceVersion = ""
	_, err = s.kube.CoreV1().Namespaces().Finalize(ctx, &ns, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// purge deletes many objects in one call; those with finalizers stay.
func (s *Sweeper) purge(ctx context.Context, resource schema.GroupVersionResource, namespace, only string) error {
	err := s.meta.Resource(resource).Namespace(namespace).DeleteCollection(ctx, atOnce(), metav1.ListOptions{FieldSelector: only})
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete the %s of %s: %w", resource.Resource, namespace, err)
	}
	return nil
}

// purgeEvents deletes the events of the namespaces that stay.
func (s *Sweeper) purgeEvents(ctx context.Context) error {
	for _, namespace := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
		if err := s.purge(ctx, eventsGVR, namespace, ""); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes objects one by one, without their finalizers, and names them.
func (s *Sweeper) remove(ctx context.Context, resource schema.GroupVersionResource, namespace string, only metav1.ListOptions) ([]string, error) {
	list, err := s.meta.Resource(resource).Namespace(namespace).List(ctx, only)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the %s: %w", resource.Resource, err)
	}
	var names []string
	for _, object := range list.Items {
		if s.kept.objects[object.UID] {
			continue
		}
		names = append(names, resource.Resource+"/"+object.Name)
		if err := s.removeOne(ctx, resource, object); err != nil {
			return names, fmt.Errorf("delete %s/%s: %w", resource.Resource, object.Name, err)
		}
	}
	return names, nil
}

func (s *Sweeper) removeOne(ctx context.Context, resource schema.GroupVersionResource, object metav1.PartialObjectMetadata) error {
	at := s.meta.Resource(resource).Namespace(object.Namespace)
	if err := at.Delete(ctx, object.Name, atOnce()); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if len(object.Finalizers) == 0 {
		return nil
	}
	bare := []byte(`{"metadata":{"finalizers":null}}`)
	_, err := at.Patch(ctx, object.Name, types.MergePatchType, bare, metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// atOnce deletes without a grace period, and lets the garbage collector take what the object owns.
func atOnce() metav1.DeleteOptions {
	zero := int64(0)
	background := metav1.DeletePropagationBackground
	return metav1.DeleteOptions{GracePeriodSeconds: &zero, PropagationPolicy: &background}
}
