package sim

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/hcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// dialects are the wire formats that every cloud serves besides its own, by the beginnings of their paths.
func dialects(api simcloud.API, control simcloud.Control) map[string]edge.Codec {
	return map[string]edge.Codec{
		// One line for each dialect.
		"/hcloud/": hcloud.Codec{Cloud: api, Classes: offered(control)},
	}
}

// offered reads the classes of load balancers. Each user of a cloud may know what it
// offers, the rest of its configuration is for admins alone.
func offered(control simcloud.Control) func(ctx context.Context) ([]simcloud.LoadBalancerClass, error) {
	return func(ctx context.Context) ([]simcloud.LoadBalancerClass, error) {
		config, err := control.GetConfig(simcloud.WithCaller(ctx, simcloud.Caller{Role: simcloud.RoleAdmin}))
		return config.LoadBalancerClasses, err
	}
}

// titles are those of the APIs that the dialects speak, by the paths of their endpoints.
func titles() map[string]string {
	all := map[string]string{}
	for _, d := range Dialects() {
		all[d.Path] = d.Title
	}
	return all
}

// Dialects describes the wire formats that every cloud serves besides its own.
func Dialects() []dialect.Dialect {
	return []dialect.Dialect{
		// One more line for each dialect that describes itself.
		hcloud.Describe(),
	}
}
