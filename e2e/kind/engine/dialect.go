package engine

import (
	"slices"
	"strings"

	"sigs.k8s.io/kind/pkg/cluster"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// dialect is what differs between the engines.
type dialect struct {
	name string
	// oldest is the first version that can do what nodes need.
	oldest version
	// client tells that the version that counts is the command's: there is no daemon.
	client bool
	// networkVariable names the variable by which kind takes another network than its own.
	networkVariable string
	provider        func() cluster.ProviderOption
}

// dialects are the engines in the order in which they are tried.
func dialects() []dialect {
	return []dialect{
		{
			name: "docker", oldest: version{20, 10}, // --cgroupns
			networkVariable: "KIND_EXPERIMENTAL_DOCKER_NETWORK", provider: cluster.ProviderWithDocker,
		},
		{
			name: "podman", oldest: version{4, 0}, client: true, // network connect --ip
			networkVariable: "KIND_EXPERIMENTAL_PODMAN_NETWORK", provider: cluster.ProviderWithPodman,
		},
		{
			name: "nerdctl", oldest: version{2, 0}, client: true,
			networkVariable: "", provider: func() cluster.ProviderOption { return cluster.ProviderWithNerdctl("") },
		},
	}
}

func dialectOf(name string) (dialect, error) {
	all := dialects()
	i := slices.IndexFunc(all, func(d dialect) bool { return d.name == name })
	if i < 0 {
		return dialect{}, simcloud.Errorf(simcloud.Invalid, "engine", "unknown container engine %q for --engine: must be one of %s", name, strings.Join(names(), ", "))
	}
	return all[i], nil
}

func names() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.name)
	}
	return names
}

func (d dialect) resource() string { return "engine/" + d.name }

// Provider makes kind use this engine.
func (e *Engine) Provider() cluster.ProviderOption { return e.dialect.provider() }

// NetworkVariable names the environment variable by which kind puts its nodes
// into another network than its own; "" when kind cannot with this engine.
func (e *Engine) NetworkVariable() string { return e.dialect.networkVariable }
