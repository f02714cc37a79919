package kubeapi

import (
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// resource is one that is served.
type resource struct {
	gv             schema.GroupVersion
	name, singular string // such as nodes and node
	kind           string
	shortNames     []string
	cluster        bool // it has no namespaces
	status         bool // it has the subresource status
	rules          rules
}

func (r resource) gvk() schema.GroupVersionKind { return r.gv.WithKind(r.kind) }

func (r resource) group() schema.GroupResource { return r.gv.WithResource(r.name).GroupResource() }

// table is the name of its objects in the store.
func (r resource) table() string { return r.group().String() }

// newObject makes an empty object.
func (r resource) newObject() runtime.Object { return mustNew(r.gvk()) }

// newList makes an empty list.
func (r resource) newList() runtime.Object { return mustNew(r.gv.WithKind(r.kind + "List")) }

// mustNew makes an object of a kind that the scheme has.
func mustNew(gvk schema.GroupVersionKind) runtime.Object {
	object, err := scheme.New(gvk)
	if err != nil {
		panic(err) // a row of the table of resources is wrong
	}
	return object
}

// resources is the table of all that is served and kept.
func resources() []resource {
	core, apps, rbac, storage := corev1.SchemeGroupVersion, appsv1.SchemeGroupVersion, rbacv1.SchemeGroupVersion, storagev1.SchemeGroupVersion
	return []resource{
		{gv: core, name: "namespaces", singular: "namespace", kind: "Namespace", shortNames: []string{"ns"}, cluster: true, status: true, rules: namespaceRules},
		{gv: core, name: "nodes", singular: "node", kind: "Node", shortNames: []string{"no"}, cluster: true, status: true, rules: nodeRules},
		{gv: core, name: "services", singular: "service", kind: "Service", shortNames: []string{"svc"}, status: true, rules: serviceRules},
		{gv: core, name: "endpoints", singular: "endpoints", kind: "Endpoints", shortNames: []string{"ep"}, rules: endpointsRules},
		{gv: core, name: "events", singular: "event", kind: "Event", shortNames: []string{"ev"}, rules: rules{upserts: true}},
		{gv: core, name: "pods", singular: "pod", kind: "Pod", shortNames: []string{"po"}, status: true, rules: podRules},
		{gv: core, name: "configmaps", singular: "configmap", kind: "ConfigMap", shortNames: []string{"cm"}, rules: configMapRules},
		{gv: core, name: "secrets", singular: "secret", kind: "Secret", rules: secretRules},
		{gv: core, name: "serviceaccounts", singular: "serviceaccount", kind: "ServiceAccount", shortNames: []string{"sa"}, rules: rules{returnsDeleted: true}},
		{gv: core, name: "persistentvolumes", singular: "persistentvolume", kind: "PersistentVolume", shortNames: []string{"pv"}, cluster: true, status: true, rules: volumeRules},
		{gv: core, name: "persistentvolumeclaims", singular: "persistentvolumeclaim", kind: "PersistentVolumeClaim", shortNames: []string{"pvc"}, status: true, rules: claimRules},
		{gv: coordinationv1.SchemeGroupVersion, name: "leases", singular: "lease", kind: "Lease", rules: leaseRules},
		{gv: discoveryv1.SchemeGroupVersion, name: "endpointslices", singular: "endpointslice", kind: "EndpointSlice", rules: endpointSliceRules},
		{gv: apps, name: "deployments", singular: "deployment", kind: "Deployment", shortNames: []string{"deploy"}, status: true, rules: deploymentRules},
		{gv: apps, name: "daemonsets", singular: "daemonset", kind: "DaemonSet", shortNames: []string{"ds"}, status: true, rules: daemonSetRules},
		{gv: apps, name: "replicasets", singular: "replicaset", kind: "ReplicaSet", shortNames: []string{"rs"}, status: true, rules: replicaSetRules},
		{gv: apps, name: "statefulsets", singular: "statefulset", kind: "StatefulSet", shortNames: []string{"sts"}, status: true, rules: statefulSetRules},
		{gv: rbac, name: "clusterroles", singular: "clusterrole", kind: "ClusterRole", cluster: true, rules: roleRules},
		{gv: rbac, name: "clusterrolebindings", singular: "clusterrolebinding", kind: "ClusterRoleBinding", cluster: true, rules: roleRules},
		{gv: rbac, name: "roles", singular: "role", kind: "Role", rules: roleRules},
		{gv: rbac, name: "rolebindings", singular: "rolebinding", kind: "RoleBinding", rules: roleRules},
		{gv: storage, name: "storageclasses", singular: "storageclass", kind: "StorageClass", shortNames: []string{"sc"}, cluster: true, rules: rules{upserts: true, returnsDeleted: true}},
		{gv: storage, name: "csinodes", singular: "csinode", kind: "CSINode", cluster: true, rules: rules{returnsDeleted: true}},
		{gv: storage, name: "volumeattachments", singular: "volumeattachment", kind: "VolumeAttachment", cluster: true, status: true, rules: rules{returnsDeleted: true}},
	}
}
