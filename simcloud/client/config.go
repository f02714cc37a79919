package client

import (
	"context"
	"errors"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// GetConfig reads how the cloud behaves.
func (c *Client) GetConfig(ctx context.Context) (simcloud.Config, error) {
	return call(ctx, c, "GetConfig", nil, nil, nil, checkConfig)
}

// UpdateConfig changes how the cloud behaves.
func (c *Client) UpdateConfig(ctx context.Context, update simcloud.ConfigUpdate) (simcloud.Config, error) {
	return call(ctx, c, "UpdateConfig", update, nil, nil, checkConfig)
}

func checkConfig(config *simcloud.Config) error {
	if config.IdempotencyTTL == 0 {
		return errors.New("a configuration without idempotencyTTL")
	}
	return nil
}

// Seed makes the cloud what the topology says.
func (c *Client) Seed(ctx context.Context, topology simcloud.Topology) (simcloud.SeedReport, error) {
	return call(ctx, c, "Seed", topology, nil, nil, func(report *simcloud.SeedReport) error {
		if report.Created == nil || report.Updated == nil || report.Deleted == nil {
			return errors.New("a report that does not say what was created, updated and deleted")
		}
		return nil
	})
}
