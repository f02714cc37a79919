package run

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

var (
	namespacesGVR      = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	serviceAccountsGVR = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
)

// namespaceOf is the namespace that a scenario has for itself: its name, and
// what tells the values of its matrix apart, which may be no part of a namespace.
func namespaceOf(s *scenarios.Scenario) string {
	name, _, _ := strings.Cut(s.Name, scenarios.RepetitionMark)
	if name == s.Base || s.Base == "" {
		return "test-" + name
	}
	const most = 40 // a namespace has 63 letters
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name))
	return fmt.Sprintf("test-%s-%08x", strings.Trim(s.Base[:min(len(s.Base), most)], "-"), hash.Sum32())
}

// createNamespace makes a namespace that pods can be created in.
func createNamespace(ctx context.Context, w step.World, name string) error {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
	_, err := w.Kube.Resource(namespacesGVR).Create(ctx, object, metav1.CreateOptions{FieldManager: step.FieldManager})
	if err != nil {
		return fmt.Errorf("create the namespace %s: %w", name, err)
	}
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, scenarios.DefaultStepTimeout, true, func(ctx context.Context) (bool, error) {
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
