package e2e

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// joinControlPlane makes the control plane a Node, if the backend wants it to
// be one. A CCM under test sees that Node as any other, so it has a VM, which has no machine.
func (c *Cluster) joinControlPlane(ctx context.Context) error {
	name := c.can.ControlPlaneNode
	if name == "" {
		return nil
	}
	result, err := c.Cloud.CreateInstance(ctx, simcloud.InstanceSpec{
		Name: name, Labels: map[string]string{machine.LabelNode: machine.NodeNone, LabelControlPlane: "true"},
	})
	if err != nil {
		return fmt.Errorf("make the VM of the control plane: %w", err)
	}
	inst := result.Resource
	if err := c.can.JoinControlPlane(ctx, machine.Spec{
		Name: name, Instance: inst.ID, Addresses: machine.PrivateAddresses(inst), Zone: string(inst.Zone),
		Labels: map[string]string{LabelControlPlane: "true"},
	}); err != nil {
		return fmt.Errorf("make the control plane a node: %w", err)
	}
	c.controlPlane = inst.ID
	return nil
}
