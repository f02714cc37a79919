package controllermanager

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const podTable = "pods"

// runDeployments keeps a ReplicaSet for each Deployment, of its template as it is. A changed template is not rolled out.
func (m *Manager) runDeployments(ctx context.Context) error {
	return each(m, "deployments.apps", func(d *appsv1.Deployment) error {
		sets := m.Kube.AppsV1().ReplicaSets(d.Namespace)
		found, _ := m.Objects.Get("replicasets.apps", "/replicasets.apps/"+d.Namespace+"/"+d.Name)
		switch {
		case d.DeletionTimestamp != nil:
			return nil
		case found == nil:
			_, err := sets.Create(ctx, &appsv1.ReplicaSet{
				ObjectMeta: metav1.ObjectMeta{
					Name: d.Name, Labels: d.Spec.Template.Labels,
					OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))},
				},
				Spec: appsv1.ReplicaSetSpec{Replicas: ptr.To(ptr.Deref(d.Spec.Replicas, 1)), Selector: d.Spec.Selector, Template: d.Spec.Template},
			}, metav1.CreateOptions{})
			return unless(err)
		}
		set := found.(*appsv1.ReplicaSet)
		if ptr.Deref(set.Spec.Replicas, 1) == ptr.Deref(d.Spec.Replicas, 1) {
			return nil
		}
		changed := set.DeepCopy()
		changed.Spec.Replicas = ptr.To(ptr.Deref(d.Spec.Replicas, 1))
		_, err := sets.Update(ctx, changed, metav1.UpdateOptions{})
		return unless(err)
	})
}

// runReplicaSets keeps as many pods of each ReplicaSet as it asks for.
func (m *Manager) runReplicaSets(ctx context.Context) error {
	return each(m, "replicasets.apps", func(set *appsv1.ReplicaSet) error {
		if set.DeletionTimestamp != nil {
			return nil
		}
		pods := m.podsOf(set)
		var errs []error
		for i := int(ptr.Deref(set.Spec.Replicas, 1)); i < len(pods); i++ {
			errs = append(errs, unless(m.Kube.CoreV1().Pods(set.Namespace).Delete(ctx, pods[i].Name, metav1.DeleteOptions{})))
		}
		for range int(ptr.Deref(set.Spec.Replicas, 1)) - len(pods) {
			errs = append(errs, m.createPod(ctx, set))
		}
		return errors.Join(errs...)
	})
}

// podsOf are the pods of a ReplicaSet that are not going.
func (m *Manager) podsOf(set *appsv1.ReplicaSet) (own []*corev1.Pod) {
	_ = each(m, podTable, func(pod *corev1.Pod) error {
		if metav1.IsControlledBy(pod, set) && pod.DeletionTimestamp == nil {
			own = append(own, pod)
		}
		return nil
	})
	return own
}

func (m *Manager) createPod(ctx context.Context, set *appsv1.ReplicaSet) error {
	m.pods++
	pod := &corev1.Pod{ObjectMeta: *set.Spec.Template.ObjectMeta.DeepCopy(), Spec: *set.Spec.Template.Spec.DeepCopy()}
	pod.Name = fmt.Sprintf("%s-%d", set.Name, m.pods)
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))}
	_, err := m.Kube.CoreV1().Pods(set.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	return unless(err)
}
