package nodeimage

import (
	"runtime"

	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/kind/tools"
)

// The versions of what the image is made of, besides Kubernetes'. kubeadm and
// kind's files say which images there have to be.
const (
	kindVersion       = "v0.33.0"
	containerdVersion = "v2.3.4"
)

// recipe is everything that decides what the image is.
type recipe struct {
	release        string // the code name of the Debian that its root is
	kube           string // the hash of simcloud-kube
	pause, wrapper string // those of the programs of package tools
}

// newRecipe is that of a build on this machine now. The error says why none is possible.
func newRecipe() (recipe, error) {
	release, err := debianRelease()
	if err != nil {
		return recipe{}, err
	}
	r := recipe{release: release, kube: embedded.ContentHash()}
	if r.pause, err = tools.Hash("pause"); err != nil {
		return recipe{}, err
	}
	r.wrapper, err = tools.Hash("ociwrap")
	return r, err
}

// tag names the image by its content.
func (r recipe) tag() string { return digest(sources(), r, runtime.Version()) }

// sources are the files of this package that make the image.
func sources() []string {
	all := []string{"base*.go", "build.go", "recipe.go"}
	return append(append(all, nodeSources()...), imagesSources()...)
}

// layerSources are those that write every layer but the root's.
func layerSources() []string { return []string{"base_filter.go", "layer.go", "pack.go", "programs.go"} }

// nodeSources write the layer that makes a node of the Debian root, imagesSources the one with the images.
func nodeSources() []string { return append(layerSources(), "node.go") }
func imagesSources() []string {
	return append(layerSources(), "archive.go", "containers*.go", "node.go", "rootfiles.go", "store.go")
}

// base, programs, node and images name the parts, each by what it is made of,
// so that a change makes only those again that it is in.
func (r recipe) base() string {
	return "root-" + r.release + "-" + digest([]string{"base*.go"}, packages())
}

func (recipe) programs() string {
	return "programs-" + digest([]string{"programs.go"}, containerdVersion, runtime.Version())
}

func (r recipe) node() string {
	return "node-" + digest(nodeSources(), r.programs(), r.kube, r.wrapper, kindVersion, embedded.KubernetesVersion)
}

func (r recipe) images() string {
	return "images-" + digest(imagesSources(), r.programs(), r.base(), r.kube, r.pause, kindVersion, embedded.KubernetesVersion)
}
