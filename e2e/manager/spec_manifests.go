package manager

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/simcloud-dev/simcloud/e2e/manifest"
	"github.com/simcloud-dev/simcloud/e2e/ociimage"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Manifests are a user's own for their CCM.
type Manifests struct {
	// Dir is a folder with YAML files, which are read as kubectl does. Their texts may have the placeholders of
	// ManifestPlaceholders. One of the objects is the workload: a Deployment or
	// DaemonSet in the namespace kube-system whose first container is the CCM; it
	// runs on the Node of the control plane alone. To take rights from it, its
	// ServiceAccount has to be kube-system's cloud-controller-manager.
	Dir string
	// Image is brought to that Node before; without an archive it is pulled.
	Image ociimage.Named
}

// ManifestPlaceholders are what the texts of Manifests may contain, in braces, besides those that name a dialect.
func ManifestPlaceholders() []string {
	return []string{phImage, phEndpoint, phToken, phClusterName, phClusterCIDR}
}

// phImage is the name of the image of Manifests.
const phImage = "{image}"

// InCluster makes a spec of a user's own manifests, which a backend must be able to run.
func InCluster(name string, m Manifests) CCMSpec { return CCMSpec{Name: name, Manifests: &m} }

// InCluster reports whether the CCM runs by a user's own manifests.
func (s CCMSpec) InCluster() bool { return s.Manifests != nil }

// kustomizations are the names by which kustomize knows its file. Objects beside one are not what is to be applied.
var kustomizations = []string{"kustomization.yaml", "kustomization.yml"}

// files are the paths of the YAML files, in order.
func (m Manifests) files() (names []string, err error) {
	for _, pattern := range []string{"*.yaml", "*.yml"} {
		found, err := filepath.Glob(filepath.Join(m.Dir, pattern))
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return names, nil
}

// texts are the files as they are. One that cannot be read is left out: reading the objects reports it.
func (m Manifests) texts() (texts []string) {
	names, _ := m.files()
	for _, name := range names {
		if raw, err := os.ReadFile(name); err == nil {
			texts = append(texts, string(raw))
		}
	}
	return texts
}

// read returns the objects, in the order of the files, with their placeholders filled in.
func (m Manifests) read(values map[string]string) ([]*unstructured.Unstructured, error) {
	names, err := m.files()
	if err != nil {
		return nil, invalidManifests("%v", err)
	}
	if len(names) == 0 {
		return nil, invalidManifests("there is no .yaml file in %q", m.Dir)
	}
	var pairs []string
	for placeholder, value := range values {
		pairs = append(pairs, placeholder, value)
	}
	fill := strings.NewReplacer(pairs...)
	var all []*unstructured.Unstructured
	for _, name := range names {
		if base := filepath.Base(name); slices.Contains(kustomizations, base) {
			return nil, invalidManifests("%s is for kustomize, which changes the other files: want a folder with what it makes of them, by \"kubectl kustomize %s\"", base, m.Dir)
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return nil, invalidManifests("%v", err)
		}
		for _, found := range formatRE.FindAllString(string(raw), -1) {
			if err := checkFormat(found, formats()); err != nil {
				return nil, invalidManifests("%s: unknown placeholder %s: %v", name, found, err)
			}
		}
		objects, err := decodeAll([]byte(fill.Replace(string(raw))))
		if err != nil {
			return nil, invalidManifests("%s: %v", name, err)
		}
		all = append(all, objects...)
	}
	return all, nil
}

// check finds out whether the folder holds a workload, and what it runs is named.
func (m Manifests) check() error {
	objects, err := m.read(nil)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if unknown := manifest.UnknownKind(o.GetAPIVersion(), o.GetKind()); unknown != "" {
			return invalidManifests("%s %s: %s", o.GetKind(), o.GetName(), unknown)
		}
	}
	_, object, err := workloadOf(objects)
	if err != nil {
		return err
	}
	container, err := firstContainer(object)
	if err == nil && container["image"] == phImage && m.Image.Name == "" {
		err = invalidManifests("%s %s runs %s, which is not set: give the file of the image by --ccm-image", object.GetKind(), object.GetName(), phImage)
	}
	return err
}

func invalidManifests(format string, args ...any) error {
	return simcloud.InvalidFields("", []simcloud.FieldError{{Field: "--ccm-manifests", Detail: fmt.Sprintf(format, args...)}})
}
