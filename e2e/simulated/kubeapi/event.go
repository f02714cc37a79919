package kubeapi

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
)

// eventREST serves Events. Recorders name them by the nanosecond, which real events hardly share. In simulated time all that
// happens between two waits shares it: an event whose name another one has gets a name of its own.
type eventREST struct{ objectREST }

// Create adds an event.
func (e eventREST) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	event := object.(*corev1.Event)
	name := event.Name
	for n := 2; ; n++ {
		created, err := e.Store.Create(ctx, object.DeepCopyObject(), validate, options)
		if !apierrors.IsAlreadyExists(err) || e.same(ctx, name, event) {
			return created, err
		}
		event.Name = fmt.Sprintf("%s-%d", name, n)
	}
}

// same reports whether the event is the one that has the name already.
func (e eventREST) same(ctx context.Context, name string, event *corev1.Event) bool {
	found, err := e.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return false
	}
	known := found.(*corev1.Event)
	return known.InvolvedObject.UID == event.InvolvedObject.UID && known.Reason == event.Reason && known.Message == event.Message
}
