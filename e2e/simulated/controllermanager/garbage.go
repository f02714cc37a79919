package controllermanager

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// namespacedKind is a kind whose objects go with their namespace, and with their owner.
type namespacedKind struct {
	table  string
	remove func(ctx context.Context, namespace, name string) error
}

// namespaced are all kinds that a namespace can have.
func (m *Manager) namespaced() []namespacedKind {
	core, apps, rbac := m.Kube.CoreV1(), m.Kube.AppsV1(), m.Kube.RbacV1()
	type deleter interface {
		Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
	}
	kind := func(table string, in func(namespace string) deleter) namespacedKind {
		return namespacedKind{table, func(ctx context.Context, namespace, name string) error {
			return in(namespace).Delete(ctx, name, metav1.DeleteOptions{})
		}}
	}
	return []namespacedKind{
		kind("services", func(ns string) deleter { return core.Services(ns) }),
		kind("endpoints", func(ns string) deleter { return core.Endpoints(ns) }),
		kind("pods", func(ns string) deleter { return core.Pods(ns) }),
		kind("events", func(ns string) deleter { return core.Events(ns) }),
		kind(configMapTable, func(ns string) deleter { return core.ConfigMaps(ns) }),
		kind("secrets", func(ns string) deleter { return core.Secrets(ns) }),
		kind(serviceAccountTable, func(ns string) deleter { return core.ServiceAccounts(ns) }),
		kind("persistentvolumeclaims", func(ns string) deleter { return core.PersistentVolumeClaims(ns) }),
		kind(leaseTable, func(ns string) deleter { return m.Kube.CoordinationV1().Leases(ns) }),
		kind("endpointslices.discovery.k8s.io", func(ns string) deleter { return m.Kube.DiscoveryV1().EndpointSlices(ns) }),
		kind("deployments.apps", func(ns string) deleter { return apps.Deployments(ns) }),
		kind("daemonsets.apps", func(ns string) deleter { return apps.DaemonSets(ns) }),
		kind("replicasets.apps", func(ns string) deleter { return apps.ReplicaSets(ns) }),
		kind("statefulsets.apps", func(ns string) deleter { return apps.StatefulSets(ns) }),
		kind("roles.rbac.authorization.k8s.io", func(ns string) deleter { return rbac.Roles(ns) }),
		kind("rolebindings.rbac.authorization.k8s.io", func(ns string) deleter { return rbac.RoleBindings(ns) }),
	}
}

// collect deletes objects whose owners are all gone.
func (m *Manager) collect(ctx context.Context) error {
	living := map[types.UID]bool{}
	tables := []string{nodeTable, namespaceTable, volumeTable}
	for _, kind := range m.namespaced() {
		tables = append(tables, kind.table)
	}
	for _, table := range tables {
		_ = each(m, table, func(object metav1.Object) error {
			living[object.GetUID()] = true
			return nil
		})
	}
	var errs []error
	for _, kind := range m.namespaced() {
		errs = append(errs, each(m, kind.table, func(object metav1.Object) error {
			if object.GetDeletionTimestamp() != nil || !orphaned(object, living) {
				return nil
			}
			return unless(kind.remove(ctx, object.GetNamespace(), object.GetName()))
		}))
	}
	return errors.Join(errs...)
}

func orphaned(object metav1.Object, living map[types.UID]bool) bool {
	refs := object.GetOwnerReferences()
	for _, ref := range refs {
		if living[ref.UID] {
			return false
		}
	}
	return len(refs) > 0
}
