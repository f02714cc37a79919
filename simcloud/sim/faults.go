package sim

import (
	"context"
	"fmt"

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

// Reseed lets all chance from now on come from another seed: that of the
// resources and that of the fault rules.
func (c *Cloud) Reseed(ctx context.Context, seed uint64) error {
	if err := c.core.Reseed(ctx, seed); err != nil {
		return fmt.Errorf("give the cloud another seed: %w", err)
	}
	c.faults.Reseed(seed)
	return nil
}
