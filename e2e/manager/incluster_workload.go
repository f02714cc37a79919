package manager

import (
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// workload is what runs the CCM in the cluster, as its manifests have it.
type workload struct {
	kind, name string
	selector   string // of its pods
	container  string // of the CCM
	port       int    // where it serves its health and metrics
}

// workloadName is what the manifests of simcloud-ccm call the workload, and its container.
const workloadName = "simcloud-ccm"

// defaultPort is where CCMs on k8s.io/cloud-provider serve, unless they are told otherwise.
const defaultPort = 10258

// ownWorkload is that of the manifests that ship.
func ownWorkload(mode Mode) workload {
	w := workload{
		kind: kindDeployment, name: workloadName, selector: "app.kubernetes.io/name=simcloud-ccm", container: workloadName, port: defaultPort,
	}
	if mode == DaemonSet {
		w.kind = kindDaemonSet
	}
	return w
}

// The kinds of workloads.
const (
	kindDeployment = "Deployment"
	kindDaemonSet  = "DaemonSet"
)

// pids is a shell script that prints the ids of all processes in its containers
// on a machine, one a line; there may be none. It asks containerd itself: not
// every image of nodes has a crictl, and the CCM may be a child of a shell.
func (w workload) pids() string {
	const script = `set -e
found=$(ctr --namespace k8s.io containers list --quiet '%s')
for id in $found; do
	ctr --namespace k8s.io tasks ps "$id" 2>/dev/null | tail -n +2 | cut -d ' ' -f 1
done`
	filter := fmt.Sprintf(`labels."io.kubernetes.pod.namespace"==%s,labels."io.kubernetes.pod.name"~="^%s-",labels."io.kubernetes.container.name"==%s`,
		ccmNamespace, w.name, w.container)
	return fmt.Sprintf(script, filter)
}

// signal is a shell script that signals all processes; there may be none.
func (w workload) signal(name string) string {
	return fmt.Sprintf("set -e\npids=$(\n%s\n)\nfor pid in $pids; do kill -%s \"$pid\" 2>/dev/null || true; done", w.pids(), name)
}

// workloadOf finds the workload among the objects.
func workloadOf(objects []*unstructured.Unstructured) (workload, *unstructured.Unstructured, error) {
	var found *unstructured.Unstructured
	for _, o := range objects {
		if kind := o.GetKind(); kind != kindDeployment && kind != kindDaemonSet {
			continue
		}
		if found != nil {
			return workload{}, nil, invalidManifests("%s %s and %s %s are two workloads: must be one", found.GetKind(), found.GetName(), o.GetKind(), o.GetName())
		}
		found = o
	}
	switch {
	case found == nil:
		return workload{}, nil, invalidManifests("there is neither a Deployment nor a DaemonSet that runs the CCM")
	case found.GetNamespace() != ccmNamespace:
		return workload{}, nil, invalidManifests("%s %s is in the namespace %q: must be in %s", found.GetKind(), found.GetName(), found.GetNamespace(), ccmNamespace)
	}
	w, err := describeWorkload(found)
	return w, found, err
}

func describeWorkload(object *unstructured.Unstructured) (workload, error) {
	raw, _, err := unstructured.NestedMap(object.Object, "spec", "selector")
	if err != nil {
		return workload{}, invalidManifests("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
	var labels metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &labels); err != nil {
		return workload{}, invalidManifests("%s %s: spec.selector: %v", object.GetKind(), object.GetName(), err)
	}
	selector, err := metav1.LabelSelectorAsSelector(&labels)
	if err != nil || selector.Empty() {
		return workload{}, invalidManifests("%s %s: spec.selector chooses no pods of its own", object.GetKind(), object.GetName())
	}
	container, err := firstContainer(object)
	if err != nil {
		return workload{}, err
	}
	name, _ := container["name"].(string)
	return workload{
		kind: object.GetKind(), name: object.GetName(), selector: selector.String(), container: name, port: portOf(container),
	}, nil
}

// firstContainer is that of the CCM.
func firstContainer(object *unstructured.Unstructured) (map[string]any, error) {
	containers, _, err := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
	if err == nil && len(containers) > 0 {
		if container, ok := containers[0].(map[string]any); ok {
			return container, nil
		}
	}
	return nil, invalidManifests("%s %s has no container", object.GetKind(), object.GetName())
}

// portOf is where a container serves, by its --secure-port.
func portOf(container map[string]any) int {
	for _, list := range []string{"command", "args"} {
		words, _, _ := unstructured.NestedStringSlice(container, list) // none when it is no list
		for _, word := range words {
			if value, ok := strings.CutPrefix(word, "--secure-port="); ok {
				if port, err := strconv.Atoi(value); err == nil {
					return port
				}
			}
		}
	}
	return defaultPort
}
