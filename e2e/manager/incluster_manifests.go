package manager

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/ccm/deploy"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/manifest"
)

// Where the manifests mount the token and the configuration.
const (
	podToken  = "/etc/simcloud/token/token"
	podConfig = "/etc/simcloud/config/cloud-config.yaml"
)

// manifests are the objects of the folder that ships, with an overlay for this
// cluster, as an operator writes one. A node's kubectl builds them.
func (i *inCluster) manifests(ctx context.Context, settings control.Settings) ([]*unstructured.Unstructured, error) {
	if i.theirs != nil {
		return i.foreign(settings)
	}
	overlay, err := i.overlay(settings)
	if err != nil {
		return nil, err
	}
	archive, err := archiveOf(deploy.Files(), overlay)
	if err != nil {
		return nil, err
	}
	const build = `set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
tar -x -C "$dir"
kubectl kustomize "$dir/overlay"`
	out, err := i.exec(ctx, i.node, archive, "sh", "-c", build)
	if err != nil {
		return nil, fmt.Errorf("build the manifests: %w", err)
	}
	return decodeAll(out)
}

// overlay returns the files of the folder "overlay".
func (i *inCluster) overlay(settings control.Settings) (map[string][]byte, error) {
	config := map[string]any{"endpoint": i.deps.Cloud.URL, "tokenFile": podToken}
	maps.Copy(config, settings.Config)
	rawConfig, err := yaml.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("write the cloud config: %w", err)
	}
	token, err := os.ReadFile(i.files.token.file)
	if err != nil {
		return nil, fmt.Errorf("read the cloud's token: %w", err)
	}
	kustomization, err := i.kustomization(settings.Flags)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"overlay/kustomization.yaml": kustomization, "overlay/cloud-config.yaml": rawConfig, "overlay/token": token,
	}, nil
}

func (i *inCluster) kustomization(flags []string) ([]byte, error) {
	patch, err := i.flagsPatch(flags)
	if err != nil {
		return nil, err
	}
	name, tag := ccmImage, i.image[len(ccmImage)+1:]
	generated := func(name, behavior string, more map[string]any) []map[string]any {
		object := map[string]any{"name": name, "namespace": ccmNamespace, "behavior": behavior}
		maps.Copy(object, more)
		return []map[string]any{object}
	}
	return yaml.Marshal(map[string]any{
		"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
		"resources": []string{"../" + string(i.mode)},
		"images":    []map[string]string{{"name": "simcloud-ccm", "newName": name, "newTag": tag}},
		"configMapGenerator": append(
			generated("simcloud-ccm", "replace", map[string]any{"files": []string{"cloud-config.yaml"}}),
			generated("simcloud-ccm-cluster", "merge", map[string]any{
				"literals": []string{"CLUSTER_NAME=" + i.deps.Kube.Name, "CLUSTER_CIDR=" + i.deps.Kube.PodCIDR},
			})...),
		"secretGenerator": generated("simcloud-ccm-token", "replace", map[string]any{"files": []string{"token"}}),
		"patches": []map[string]any{{
			"target": map[string]string{"kind": i.workload.kind, "name": i.workload.name}, "patch": string(patch),
		}},
	})
}

// flagsPatch adds flags to those of the manifest.
func (i *inCluster) flagsPatch(flags []string) ([]byte, error) {
	added, err := podFlags(slices.Concat(paceFlags(i.deps.Timings), flags), map[string]string{
		phCloudConfig: podConfig, phTokenFile: podToken, phEndpoint: i.deps.Cloud.URL,
		phClusterName: i.deps.Kube.Name, phClusterCIDR: i.deps.Kube.PodCIDR,
	})
	if err != nil {
		return nil, err
	}
	var patch []map[string]string
	for _, flag := range added {
		patch = append(patch, map[string]string{"op": "add", "path": "/spec/template/spec/containers/0/args/-", "value": flag})
	}
	return yaml.Marshal(patch)
}

// podFlags fills in the placeholders of flags: what a pod does not have must not be in them.
func podFlags(flags []string, values map[string]string) ([]string, error) {
	for _, flag := range flags {
		for _, found := range placeholderRE.FindAllString(flag, -1) {
			if _, known := values[found]; !known {
				return nil, invalidMode("%s in the flag %q is nothing that a pod has", found, flag)
			}
		}
	}
	return CCMSpec{Args: flags}.expand(values, nil), nil
}

// archiveOf puts the files of a file system, and others by their paths, into a tar archive.
func archiveOf(files fs.FS, others map[string][]byte) (io.Reader, error) {
	var buffer bytes.Buffer
	archive := tar.NewWriter(&buffer)
	if err := archive.AddFS(files); err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(others)) {
		content := others[path]
		if err := archive.WriteHeader(&tar.Header{Name: path, Mode: 0o600, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
			return nil, err
		}
		if _, err := archive.Write(content); err != nil {
			return nil, err
		}
	}
	return &buffer, archive.Close()
}

// decodeAll reads the objects of a text.
func decodeAll(raw []byte) ([]*unstructured.Unstructured, error) {
	found, err := manifest.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("read the manifests: %w", err)
	}
	var objects []*unstructured.Unstructured
	for _, object := range found {
		objects = append(objects, object.Unstructured)
	}
	return objects, nil
}

// fieldManager is what the harness calls itself in the objects that it applies.
const fieldManager = "simcloud-e2e"

// apply applies those of the objects whose kind is chosen, in their order.
func (i *inCluster) apply(ctx context.Context, objects []*unstructured.Unstructured, chosen func(kind string) bool) error {
	client, err := dynamic.NewForConfig(i.deps.Kube.Config)
	if err != nil {
		return err
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(i.deps.Kube.Config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kinds))
	for _, object := range objects {
		if !chosen(object.GetKind()) {
			continue
		}
		if err := applyObject(ctx, client, mapper, object); err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

func applyObject(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapper, object *unstructured.Unstructured) error {
	kind := object.GroupVersionKind()
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return err
	}
	var into dynamic.ResourceInterface = client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace { // as kubectl has it
		into = client.Resource(mapping.Resource).Namespace(cmp.Or(object.GetNamespace(), metav1.NamespaceDefault))
	}
	_, err = into.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	return err
}
