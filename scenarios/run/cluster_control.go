package run

import (
	"context"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// machinesOf makes the machines of the harness those of scenarios.
type machinesOf struct{ *e2e.Machines }

// Boot boots a machine that has no instance.
func (m machinesOf) Boot(ctx context.Context, spec step.MachineSpec) error {
	node := e2e.NodeSpec{Name: spec.Name, Labels: spec.Labels}
	if !spec.Light {
		return m.Machines.Boot(ctx, node, false)
	}
	return m.BootLight(ctx, e2e.LightSpec{
		NodeSpec: node, ProviderID: spec.ProviderID, NodeIPs: spec.NodeIPs, Initialized: spec.Initialized,
	})
}
