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
	release string // the code name of the Debian that its root is
	kube    string // the hash of simcloud-kube
	helpers string // the hash of the programs of package tools
}

// newRecipe is that of a build on this machine now. The error says why none is possible.
func newRecipe() (recipe, error) {
	release, err := debianRelease()
	if err != nil {
		return recipe{}, err
	}
	r := recipe{release: release, kube: embedded.ContentHash()}
	for _, name := range []string{"pause", "ociwrap"} {
		hash, err := tools.Hash(name)
		if err != nil {
			return recipe{}, err
		}
		r.helpers += hash
	}
	return r, nil
}

// tag names the image by its content.
func (r recipe) tag() string { return digest(sources(), r, runtime.Version()) }

// sources are the files of this package that make the image.
func sources() []string {
	return []string{
		"archive.go", "base*.go", "build.go", "containers*.go", "layer.go", "node.go", "pack.go", "programs.go", "recipe.go", "rootfiles.go", "store.go",
	}
}

// base and programs name the parts that change less often than the image does.
func (r recipe) base() string {
	return "root-" + r.release + "-" + digest([]string{"base*.go"}, packages())
}

func (recipe) programs() string {
	return "programs-" + digest([]string{"programs.go"}, containerdVersion, runtime.Version())
}
