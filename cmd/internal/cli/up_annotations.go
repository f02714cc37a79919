package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// annotationPolicy is the name of the objects that annotate Services.
const annotationPolicy = "simcloud-service-annotations"

// annotateServices has the cluster give each Service that becomes one of type LoadBalancer the annotations of the
// profile, unless it has them: in a sandbox, as in scenarios, a profile decides which load balancers its CCM makes. It
// returns when the API server does so. A cluster of others is left as it is.
func annotateServices(ctx context.Context, kube kubernetes.Interface, annotations map[string]string) error {
	policy, binding := annotationObjects(annotations)
	registration := kube.AdmissionregistrationV1()
	if _, err := registration.MutatingAdmissionPolicies().Create(ctx, policy, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("have Services annotated as the profile says: %w", err)
	}
	if _, err := registration.MutatingAdmissionPolicyBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("have Services annotated as the profile says: %w", err)
	}
	return sandbox.Poll(ctx, func() (bool, error) {
		made, err := kube.CoreV1().Services(metav1.NamespaceDefault).Create(ctx, sampleService(), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil {
			return false, fmt.Errorf("try whether Services are annotated as the profile says: %w", err)
		}
		return hasAll(made.Annotations, annotations), nil
	})
}

func sampleService() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{GenerateName: annotationPolicy + "-"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}
}

func hasAll(have, want map[string]string) bool {
	for key, value := range want {
		if have[key] != value {
			return false
		}
	}
	return true
}

// annotationObjects are the policy, and what puts it into force.
func annotationObjects(annotations map[string]string) (*admissionv1.MutatingAdmissionPolicy, *admissionv1.MutatingAdmissionPolicyBinding) {
	fail := admissionv1.Fail
	services := admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
		Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"services"}},
	}}
	meta := metav1.ObjectMeta{Name: annotationPolicy}
	return &admissionv1.MutatingAdmissionPolicy{
			ObjectMeta: meta,
			Spec: admissionv1.MutatingAdmissionPolicySpec{
				FailurePolicy: &fail, ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
				MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{services}},
				MatchConditions: []admissionv1.MatchCondition{{
					Name: "becomes-a-load-balancer",
					Expression: `object.spec.type == "LoadBalancer"` +
						` && (request.operation == "CREATE" || oldObject.spec.type != "LoadBalancer")`,
				}},
				Mutations: annotationMutations(annotations),
			},
		}, &admissionv1.MutatingAdmissionPolicyBinding{
			ObjectMeta: meta, Spec: admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: annotationPolicy},
		}
}

// annotationMutations are one for each annotation. The first one that is missing makes the map.
func annotationMutations(annotations map[string]string) (mutations []admissionv1.Mutation) {
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		name, value := strconv.Quote(key), strconv.Quote(annotations[key])
		mutations = append(mutations, admissionv1.Mutation{
			PatchType: admissionv1.PatchTypeJSONPatch,
			JSONPatch: &admissionv1.JSONPatch{Expression: fmt.Sprintf(`!has(object.metadata.annotations)
? [JSONPatch{op: "add", path: "/metadata/annotations", value: {%[1]s: %[2]s}}]
: (%[1]s in object.metadata.annotations ? []
: [JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey(%[1]s), value: %[2]s}])`, name, value)},
		})
	}
	return mutations
}
