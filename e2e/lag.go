package e2e

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// CanLag reports whether the API server can show the CCM what is old.
func (c *Cluster) CanLag() bool { return c.can.Lag != nil }

// Lag lets the API server show the CCM, and its standby, what is old. Everyone else sees the present, and what the CCM writes is
// judged by it. It answers Unimplemented when the backend cannot.
func (c *Cluster) Lag(_ context.Context, lag control.Lag) error {
	if !c.CanLag() {
		return simcloud.Errorf(simcloud.Unimplemented, "backend/"+c.Backend.Name(), "its API server cannot show what is old")
	}
	if err := c.can.Lag(lag); err != nil {
		return fmt.Errorf("let the API server lag: %w", err)
	}
	return nil
}

// CatchUp lets the API server show the CCM the present.
func (c *Cluster) CatchUp(context.Context) error {
	if c.CanLag() {
		c.can.CatchUp()
	}
	return nil
}
