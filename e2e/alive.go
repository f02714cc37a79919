package e2e

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Alive ends when the control plane is lost though nobody has stopped it; its
// cause says what happened. The cluster can be stopped then, and nothing else. Of a
// backend that does not notice such a thing it never ends.
func (c *Cluster) Alive() context.Context {
	if backend, ok := c.Backend.(Mortal); ok {
		return backend.Alive()
	}
	return context.Background()
}

// canReset answers Unavailable for a cluster whose control plane is lost, and
// Unimplemented for one that cannot be as it was: a reset of the cloud takes the
// VM of the control plane's Node.
func (c *Cluster) canReset() error {
	if err := context.Cause(c.Alive()); err != nil {
		return simcloud.Errorf(simcloud.Unavailable, "backend/"+c.Backend.Name(), "it cannot be reset: %w", err)
	}
	if c.controlPlane == "" {
		return nil
	}
	return simcloud.Errorf(simcloud.Unimplemented, "backend/"+c.Backend.Name(), "its control plane is a Node, whose VM a reset would take: use a cluster once")
}
