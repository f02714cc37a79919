package client_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestAPI runs the specification through a client and a server.
func TestAPI(t *testing.T) {
	t.Parallel()
	simtest.TestAPI(t, func(t *testing.T, opts simtest.Options) simcloud.API {
		return simtest.New(t, func(cfg *sim.Config) {
			cfg.Seed, cfg.Progression = opts.Seed, opts.Progression
		})
	})
}
