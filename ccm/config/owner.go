package config

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Owner knows the project of the config. The token may come to be another
// project's while the process runs, and there no instance of ours is to be seen.
type Owner struct {
	API     API
	Project simcloud.ID // empty for any
}

// Confirm is an error when the token is another project's, or when that cannot be found out.
func (o Owner) Confirm(ctx context.Context) error {
	if o.Project == "" {
		return nil
	}
	networks, err := simcloud.ListAll(ctx, o.API.ListNetworks, simcloud.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the networks to see whose project the token is for: %w", call.NotAboutOne(err))
	}
	return o.owns(networks)
}

// owns is an error when one of the networks that the cloud shows is another project's.
func (o Owner) owns(networks []simcloud.Network) error {
	for _, network := range networks {
		if o.Project != "" && network.Project != "" && network.Project != o.Project {
			return &Error{"project", fmt.Errorf("%q is not the project of the token, which is %q", o.Project, network.Project)}
		}
	}
	return nil
}
