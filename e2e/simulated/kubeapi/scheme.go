package kubeapi

import (
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// The scheme has each kind in one version, which is its internal version too: nothing but Events is converted between what is
// served and what is kept.
var (
	scheme         = newScheme()
	codecs         = serializer.NewCodecFactory(scheme)
	parameterCodec = runtime.NewParameterCodec(scheme)
)

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, coordinationv1.AddToScheme, discoveryv1.AddToScheme, rbacv1.AddToScheme, appsv1.AddToScheme,
		storagev1.AddToScheme, authenticationv1.AddToScheme, authorizationv1.AddToScheme, autoscalingv1.AddToScheme, eventsv1.AddToScheme,
		policyv1.AddToScheme,
	} {
		utilruntime.Must(add(s))
	}
	for _, gv := range s.PrioritizedVersionsAllGroups() {
		addInternal(s, gv)
	}
	addEventConversions(s)
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	s.AddUnversionedTypes(schema.GroupVersion{Version: "v1"},
		&metav1.Status{}, &metav1.APIVersions{}, &metav1.APIGroupList{}, &metav1.APIGroup{}, &metav1.APIResourceList{})
	addDefaults(s)
	addWorkloadDefaults(s)
	addFieldLabels(s)
	return s
}

// addInternal makes the version of a group its internal version, too.
func addInternal(s *runtime.Scheme, gv schema.GroupVersion) {
	if gv == eventsv1.SchemeGroupVersion {
		return // its Events are kept as those of the core group
	}
	internal := schema.GroupVersion{Group: gv.Group, Version: runtime.APIVersionInternal}
	for kind, of := range s.KnownTypes(gv) {
		if object, ok := reflect.New(of).Interface().(runtime.Object); ok && strings.HasPrefix(of.PkgPath(), "k8s.io/api/") {
			s.AddKnownTypeWithName(internal.WithKind(kind), object)
		}
	}
}
