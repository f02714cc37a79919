package kubeapi

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"

	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/store"
)

// admit is what the admission plugin NamespaceLifecycle does: nothing is created in a namespace that does not exist, or that is going.
type admit struct{}

var _ admission.ValidationInterface = admit{}

// Handles reports which operations are judged.
func (admit) Handles(operation admission.Operation) bool {
	return operation == admission.Create || operation == admission.Delete
}

// kept are the namespaces that cannot be deleted.
var kept = map[string]bool{metav1.NamespaceDefault: true, metav1.NamespaceSystem: true, metav1.NamespacePublic: true}

// Validate judges a request.
func (admit) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetKind().GroupKind() == corev1.SchemeGroupVersion.WithKind("Namespace").GroupKind() {
		if a.GetOperation() == admission.Delete && kept[a.GetName()] {
			return apierrors.NewForbidden(a.GetResource().GroupResource(), a.GetName(), fmt.Errorf("this namespace may not be deleted"))
		}
		return nil
	}
	if a.GetOperation() != admission.Create || a.GetNamespace() == "" || a.GetKind().Group == "authorization.k8s.io" {
		return nil
	}
	found, _ := store.FromContext(ctx).Get(namespaceTable, "/"+namespaceTable+"/"+a.GetNamespace())
	if found == nil {
		return apierrors.NewNotFound(corev1.Resource("namespaces"), a.GetNamespace())
	}
	if found.(*corev1.Namespace).Status.Phase == corev1.NamespaceTerminating {
		return terminating(a)
	}
	return nil
}

// namespaceTable is where the Namespaces are kept.
const namespaceTable = "namespaces"

func terminating(a admission.Attributes) error {
	err := admission.NewForbidden(a, fmt.Errorf("unable to create new content in namespace %s because it is being terminated", a.GetNamespace()))
	if status, ok := err.(apierrors.APIStatus); ok { //nolint:errorlint // it was just made
		if details := status.Status().Details; details != nil {
			details.Causes = append(details.Causes, metav1.StatusCause{
				Type: corev1.NamespaceTerminatingCause, Message: fmt.Sprintf("namespace %s is being terminated", a.GetNamespace()), Field: "metadata.namespace",
			})
		}
	}
	return err
}
