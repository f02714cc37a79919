package controllermanager

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// remaining counts what a namespace still has, by the resource and by the finalizer that keeps it.
type remaining struct{ resources, finalizers map[string]int }

func (m *Manager) remainingIn(namespace string) remaining {
	left := remaining{map[string]int{}, map[string]int{}}
	for _, kind := range m.namespaced() {
		entries, _ := m.Objects.List(kind.table, "/"+kind.table+"/"+namespace+"/")
		resource := kind.table
		if !strings.Contains(resource, ".") {
			resource += "." // the core group has no name
		}
		for _, entry := range entries {
			left.resources[resource]++
			for _, finalizer := range entry.Object.(metav1.Object).GetFinalizers() {
				left.finalizers[finalizer]++
			}
		}
	}
	return left
}

// reportRemaining says in the conditions of a namespace what keeps it.
func (m *Manager) reportRemaining(ctx context.Context, namespace *corev1.Namespace) error {
	left := m.remainingIn(namespace.Name)
	if len(left.resources) == 0 {
		return nil // it goes at the next look
	}
	reported := namespace.DeepCopy()
	reported.Status.Conditions = left.conditions(namespace.Status.Conditions)
	if equality.Semantic.DeepEqual(reported.Status, namespace.Status) {
		return nil
	}
	_, err := m.Kube.CoreV1().Namespaces().UpdateStatus(ctx, reported, metav1.UpdateOptions{})
	return unless(err)
}

// conditions are those of kube-controller-manager. One that has not changed keeps its time.
func (r remaining) conditions(before []corev1.NamespaceCondition) []corev1.NamespaceCondition {
	all := []corev1.NamespaceCondition{
		namespaceCondition(corev1.NamespaceDeletionDiscoveryFailure, false, "ResourcesDiscovered", "All resources successfully discovered"),
		namespaceCondition(corev1.NamespaceDeletionGVParsingFailure, false, "ParsedGroupVersions", "All legacy kube types successfully parsed"),
		namespaceCondition(corev1.NamespaceDeletionContentFailure, false, "ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
		namespaceCondition(corev1.NamespaceContentRemaining, true, "SomeResourcesRemain",
			"Some resources are remaining: "+counted(r.resources, "%s has %d resource instances")),
	}
	if len(r.finalizers) > 0 {
		all = append(all, namespaceCondition(corev1.NamespaceFinalizersRemaining, true, "SomeFinalizersRemain",
			"Some content in the namespace has finalizers remaining: "+counted(r.finalizers, "%s in %d resource instances")))
	} else {
		all = append(all, namespaceCondition(corev1.NamespaceFinalizersRemaining, false, "ContentHasNoFinalizers", "All content-preserving finalizers finished"))
	}
	for i := range all {
		for _, was := range before {
			if was.Type == all[i].Type && was.Status == all[i].Status {
				all[i].LastTransitionTime = was.LastTransitionTime
			}
		}
	}
	return all
}

func namespaceCondition(of corev1.NamespaceConditionType, holds bool, reason, message string) corev1.NamespaceCondition {
	status := corev1.ConditionFalse
	if holds {
		status = corev1.ConditionTrue
	}
	return corev1.NamespaceCondition{Type: of, Status: status, LastTransitionTime: metav1.Now(), Reason: reason, Message: message}
}

func counted(counts map[string]int, format string) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		texts = append(texts, fmt.Sprintf(format, name, counts[name]))
	}
	return strings.Join(texts, ", ")
}
