package scenarios

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

var (
	namespacesGVR      = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	serviceAccountsGVR = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
)

// namespaceOf is the namespace that a scenario has for itself.
func namespaceOf(s *Scenario) string { return "test-" + s.Name }

// createNamespace makes a namespace that pods can be created in.
func createNamespace(ctx context.Context, w World, name string) error {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
	_, err := w.Kube.Resource(namespacesGVR).Create(ctx, object, metav1.CreateOptions{FieldManager: fieldManager})
	if err != nil {
		return fmt.Errorf("create the namespace %s: %w", name, err)
	}
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, DefaultStepTimeout, true, func(ctx context.Context) (bool, error) {
		_, err := w.Kube.Resource(serviceAccountsGVR).Namespace(name).Get(ctx, "default", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("wait for the service account of the namespace %s: %w", name, err)
	}
	return nil
}
