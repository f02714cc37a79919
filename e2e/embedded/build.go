package embedded

import (
	"context"

	"github.com/simcloud-dev/simcloud/e2e/gobuild"
)

// Build returns the path of the simcloud-kube of these sources in the cache,
// and builds it there when it is missing. Of several that want to build it at
// the same time, one does and the others wait.
func Build(ctx context.Context, progress func(string)) (string, error) {
	return component(binaryName, ".").Build(ctx, progress)
}

// BuildProxy returns the path of a kube-proxy of the same sources by itself, as Build does: each node of kind unpacks
// the image of its kube-proxy, and simcloud-kube is more than twice as big.
func BuildProxy(ctx context.Context, progress func(string)) (string, error) {
	return component("kube-proxy", "k8s.io/kubernetes/cmd/kube-proxy").Build(ctx, progress)
}

// goRequired is the line of e2e/kube/go.mod, which Go checks by itself since 1.21.
const goRequired = "1.26"

// component is what is built of a package of the sources.
func component(name, pkg string) gobuild.Program {
	return gobuild.Program{
		Name: name, Package: pkg, Module: sources, Args: buildArgs(), Folder: "kube",
		Of:    "Kubernetes " + KubernetesVersion,
		Takes: "about 8 minutes on 2 cores when Go has nothing of Kubernetes in its cache, under one when it has all",
		Go:    goRequired, Instead: "name a built binary by --kube or $" + EnvKube, Beside: ", or another part of Kubernetes", Override: EnvKube,
	}
}

// ContentHash stands for everything that decides what the simcloud-kube of Build is.
func ContentHash() string { return component(binaryName, ".").Hash() }
