package e2e

import (
	"cmp"
	"context"
	"fmt"
)

// TestImage is the name of the test server's image, which every node has.
// Where nodes run no images one name is as good as another.
func (c *Cluster) TestImage() string { return cmp.Or(c.testImage, "testserver") }

// loadTestImage brings the image to the nodes of a backend that runs images.
func (c *Cluster) loadTestImage(ctx context.Context, cfg Config) error {
	if c.can.LoadImage == nil || cfg.TestImage.Archive == "" {
		return nil
	}
	if err := c.can.LoadImage(ctx, cfg.TestImage.Archive); err != nil {
		return fmt.Errorf("load the image of the test server: %w", err)
	}
	c.testImage = cfg.TestImage.Name
	return nil
}
