package sim

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// newFaults returns the cloud's fault rules, which know its resources, its
// clock and its seed.
func (c *Cloud) newFaults() *fault.Set {
	return fault.New(fault.Config{Seed: c.core.Chance(), Now: c.now, Lookup: c.lookup})
}

func (c *Cloud) lookup(ctx context.Context, kind simcloud.Kind, id simcloud.ID) (fault.Subject, bool) {
	d, err := c.core.Describe(ctx, kind, id)
	return fault.Subject{Name: d.Name, Zone: d.Zone, Labels: d.Labels}, err == nil
}

// Faults returns the rules by which calls over HTTP go wrong.
func (c *Cloud) Faults() *fault.Set { return c.faults }
