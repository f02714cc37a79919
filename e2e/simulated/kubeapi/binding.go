package kubeapi

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	storeerr "k8s.io/apiserver/pkg/storage/errors"
)

// bindingREST serves the subresource binding of pods, by which a scheduler gives a pod its Node.
type bindingREST struct{ pods *registry.Store }

var _ rest.NamedCreater = bindingREST{}

// New makes an empty binding.
func (bindingREST) New() runtime.Object { return &corev1.Binding{} }

// Destroy has nothing to do.
func (bindingREST) Destroy() {}

// Create binds a pod.
func (b bindingREST) Create(ctx context.Context, name string, object runtime.Object, _ rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	binding := object.(*corev1.Binding)
	key, err := b.pods.KeyFunc(ctx, name)
	if err != nil {
		return nil, err
	}
	err = b.pods.Storage.GuaranteedUpdate(ctx, key, &corev1.Pod{}, false, nil, storage.SimpleUpdate(func(found runtime.Object) (runtime.Object, error) {
		pod := found.(*corev1.Pod)
		if pod.Spec.NodeName != "" {
			return nil, apierrors.NewConflict(corev1.Resource("pods/binding"), name, fmt.Errorf("pod %s is already assigned to node %q", name, pod.Spec.NodeName))
		}
		pod.Spec.NodeName = binding.Target.Name
		setCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()})
		return pod, nil
	}), len(options.DryRun) > 0, nil)
	if err != nil {
		return nil, storeerr.InterpretUpdateError(err, corev1.Resource("pods"), name)
	}
	return &metav1.Status{Status: metav1.StatusSuccess}, nil
}

func setCondition(pod *corev1.Pod, condition corev1.PodCondition) {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == condition.Type {
			pod.Status.Conditions[i] = condition
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, condition)
}
