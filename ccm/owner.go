package ccm

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// owner knows the project of the config. The token may come to be another
// project's while the process runs, and there no instance of ours is to be seen.
type owner struct {
	api     startAPI
	project simcloud.ID // empty for any
}

// confirm is an error when the token is another project's, or when that cannot be found out.
func (o owner) confirm(ctx context.Context) error {
	if o.project == "" {
		return nil
	}
	networks, err := simcloud.ListAll(ctx, o.api.ListNetworks, simcloud.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the networks to see whose project the token is for: %w", notAboutOne(err))
	}
	return o.owns(networks)
}

// owns is an error when one of the networks that the cloud shows is another project's.
func (o owner) owns(networks []simcloud.Network) error {
	for _, network := range networks {
		if o.project != "" && network.Project != "" && network.Project != o.project {
			return &ConfigError{"project", fmt.Errorf("%q is not the project of the token, which is %q", o.project, network.Project)}
		}
	}
	return nil
}
