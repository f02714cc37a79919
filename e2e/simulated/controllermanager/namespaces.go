package controllermanager

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	namespaceTable      = "namespaces"
	serviceAccountTable = "serviceaccounts"
	configMapTable      = "configmaps"
	rootCA              = "kube-root-ca.crt"
)

// rootCAAnnotations are those of the ConfigMap of each namespace.
var rootCAAnnotations = map[string]string{
	"kubernetes.io/description": "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as " +
		"the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
}

// fillNamespaces gives each namespace its ServiceAccount and the certificate of the cluster.
func (m *Manager) fillNamespaces(ctx context.Context) error {
	return each(m, namespaceTable, func(namespace *corev1.Namespace) error {
		if namespace.Status.Phase == corev1.NamespaceTerminating {
			return nil
		}
		var errs []error
		if found, _ := m.Objects.Get(serviceAccountTable, "/"+serviceAccountTable+"/"+namespace.Name+"/default"); found == nil {
			account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
			_, err := m.Kube.CoreV1().ServiceAccounts(namespace.Name).Create(ctx, account, metav1.CreateOptions{})
			errs = append(errs, unless(err))
		}
		if found, _ := m.Objects.Get(configMapTable, "/"+configMapTable+"/"+namespace.Name+"/"+rootCA); found == nil {
			config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: rootCA, Annotations: rootCAAnnotations}, Data: map[string]string{"ca.crt": "none"}}
			_, err := m.Kube.CoreV1().ConfigMaps(namespace.Name).Create(ctx, config, metav1.CreateOptions{})
			errs = append(errs, unless(err))
		}
		return errors.Join(errs...)
	})
}

// emptyNamespaces deletes what is in a namespace that is to go, and lets it go when nothing is left.
func (m *Manager) emptyNamespaces(ctx context.Context) error {
	return each(m, namespaceTable, func(namespace *corev1.Namespace) error {
		if namespace.Status.Phase != corev1.NamespaceTerminating || !slices.Contains(namespace.Spec.Finalizers, corev1.FinalizerKubernetes) {
			return nil
		}
		left, err := m.empty(ctx, namespace.Name)
		if err != nil {
			return err
		}
		if left {
			return m.reportRemaining(ctx, namespace)
		}
		done := namespace.DeepCopy()
		done.Spec.Finalizers = slices.DeleteFunc(done.Spec.Finalizers, func(f corev1.FinalizerName) bool { return f == corev1.FinalizerKubernetes })
		_, err = m.Kube.CoreV1().Namespaces().Finalize(ctx, done, metav1.UpdateOptions{})
		return unless(err)
	})
}

// empty deletes what a namespace has, and reports whether there was anything.
func (m *Manager) empty(ctx context.Context, namespace string) (left bool, err error) {
	var errs []error
	for _, kind := range m.namespaced() {
		entries, _ := m.Objects.List(kind.table, "/"+kind.table+"/"+namespace+"/")
		for _, entry := range entries {
			left = true
			object := entry.Object.(metav1.Object)
			if object.GetDeletionTimestamp() == nil {
				errs = append(errs, unless(kind.remove(ctx, namespace, object.GetName())))
			}
		}
	}
	return left, errors.Join(errs...)
}
