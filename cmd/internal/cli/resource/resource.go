// Package resource has a command for each kind of resource. What they have in common is a noun.
package resource

import "github.com/spf13/cobra"

// Commands are the commands of all kinds of resources, one a kind.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		newInstanceCommand(), newInstanceTypeCommand(), newSSHKeyCommand(), newVolumeCommand(),
		newNetworkCommand(), newSubnetCommand(), newRouteTableCommand(), newFloatingIPCommand(), newFloatingIPPoolCommand(), newLoadBalancerCommand(), newSecurityGroupCommand(), newTargetGroupCommand(),
		newRegionCommand(), newZoneCommand(), newClusterCommand(), newDocumentCommand(), newProjectCommand(), newTokenCommand(), newQuotaCommand(),
		newOperationCommand(),
	}
}
