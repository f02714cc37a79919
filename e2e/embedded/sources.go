package embedded

import _ "embed"

//go:generate go test -run=^TestSources$ -update .

// sources are the files of the module e2e/kube. A module that is downloaded
// has no nested modules in it, so that the control plane can only be built from here.
//
//go:embed kube.txtar
var sources []byte

// KubernetesVersion is the version of the control plane.
const KubernetesVersion = "v1.37.1"

// buildArgs are those of "go build". Without the version the API server would
// report one that clients cannot parse.
func buildArgs() []string {
	const version = "-X k8s.io/component-base/version.git"
	return []string{
		"build", "-trimpath",
		"-ldflags", "-s -w " + version + "Version=" + KubernetesVersion + " " + version + "Major=1 " + version + "Minor=37",
	}
}
