package run

import (
	"context"

	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// machinesOf makes the machines of the harness those of scenarios.
type machinesOf struct{ *machine.Set }

// Boot boots a machine that has no instance.
func (m machinesOf) Boot(ctx context.Context, spec step.MachineSpec) error {
	node := machine.Spec{Name: spec.Name, Labels: spec.Labels}
	if !spec.Light {
		return m.Set.Boot(ctx, node, false)
	}
	return m.BootHollow(ctx, machine.HollowSpec{
		Spec: node, ProviderID: spec.ProviderID, NodeIPs: spec.NodeIPs, Initialized: spec.Initialized,
	})
}
