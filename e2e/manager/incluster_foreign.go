package manager

import (
	"bytes"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/simcloud-dev/simcloud/e2e/control"
)

// foreign builds a user's own manifests for this cluster and this start.
func (i *inCluster) foreign(settings control.Settings) ([]*unstructured.Unstructured, error) {
	token, err := os.ReadFile(i.files.token.file)
	if err != nil {
		return nil, fmt.Errorf("read the cloud's token: %w", err)
	}
	values := withFormats(map[string]string{
		phImage: i.theirs.Image.Name, phEndpoint: i.deps.Cloud.URL, phToken: string(bytes.TrimSpace(token)),
		phClusterName: i.deps.Kube.Name, phClusterCIDR: i.deps.Kube.PodCIDR,
	})
	objects, err := i.theirs.read(values)
	if err != nil {
		return nil, err
	}
	_, object, err := workloadOf(objects)
	if err != nil {
		return nil, err
	}
	flags, err := podFlags(settings.Flags, values)
	if err != nil {
		return nil, err
	}
	return objects, i.theirs.adapt(object, flags)
}

// controlPlaneLabel is that of the Node on which CCMs run.
const controlPlaneLabel = "node-role.kubernetes.io/control-plane"

// adapt lets the workload run where its processes can be reached, with the image
// that was brought there, and with more flags at its first container.
func (m Manifests) adapt(object *unstructured.Unstructured, flags []string) error {
	pod := []string{"spec", "template", "spec"}
	err := unstructured.SetNestedField(object.Object, "", append(pod, "nodeSelector", controlPlaneLabel)...)
	if err != nil {
		return err
	}
	containers, _, err := unstructured.NestedSlice(object.Object, append(pod, "containers")...)
	if err != nil {
		return err
	}
	container := containers[0].(map[string]any) // as it was found to be
	if m.Image.Archive != "" && container["image"] == m.Image.Name {
		container["imagePullPolicy"] = string(corev1.PullNever) // no registry has just this one
	}
	if err := addFlags(container, flags); err != nil {
		return err
	}
	return unstructured.SetNestedSlice(object.Object, containers, append(pod, "containers")...)
}

// addFlags adds flags to the arguments of a container.
func addFlags(container map[string]any, flags []string) error {
	if len(flags) == 0 {
		return nil
	}
	args, _, err := unstructured.NestedStringSlice(container, "args")
	if err != nil {
		return err
	}
	return unstructured.SetNestedStringSlice(container, append(args, flags...), "args")
}
