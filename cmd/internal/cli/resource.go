package cli

import "github.com/spf13/cobra"

// resourceCommands are the commands of all kinds of resources, one a kind.
func resourceCommands() []*cobra.Command {
	return []*cobra.Command{
		newInstanceCommand(), newInstanceTypeCommand(), newSSHKeyCommand(), newVolumeCommand(),
		newNetworkCommand(), newSubnetCommand(), newRouteTableCommand(), newFloatingIPCommand(), newFloatingIPPoolCommand(), newLoadBalancerCommand(),
		newRegionCommand(), newZoneCommand(), newClusterCommand(), newProjectCommand(), newTokenCommand(), newQuotaCommand(),
		newOperationCommand(),
	}
}
