package resource

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newInstanceRebuildCommand(n *noun[simcloud.Instance, *simcloud.Instance]) *cobra.Command {
	var userData string
	var keys []string
	var cmd *cobra.Command
	cmd = n.verb("rebuild", "Rebuild instances, which keep their ids, addresses and volumes",
		func(c *client.Client, ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (r simcloud.Result[simcloud.Instance], err error) {
			var rebuild simcloud.InstanceRebuild
			if usage.Given(cmd, "user-data") {
				rebuild.UserData = &userData
			}
			if usage.Given(cmd, "key") {
				ids, err := sshKeyNoun().resolved(ctx, c, keys)
				if err != nil {
					return r, err
				}
				rebuild.SSHKeys = &ids
			}
			return c.RebuildInstance(ctx, id, rebuild, opts...)
		})
	cmd.Example = n.example("rebuild "+n.sample.name, "rebuild "+n.sample.name+" --key laptop")
	cmd.Flags().StringVar(&userData, "user-data", "", "text for the instance's first start (default: as before)")
	cmd.Flags().StringSliceVar(&keys, "key", nil, "id or name of an SSH key; can be repeated (default: as before)")
	return cmd
}

func newInstanceResizeCommand(n *noun[simcloud.Instance, *simcloud.Instance]) *cobra.Command {
	var resize simcloud.InstanceResize
	cmd := verbWith(n, "resize", "Change the type of stopped instances", &resize, (*client.Client).ResizeInstance)
	cmd.Flags().StringVar((*string)(&resize.Type), "type", "", "instance type")
	usage.Need(cmd, "type", "large")
	return cmd
}

func newInstanceMigrateCommand(n *noun[simcloud.Instance, *simcloud.Instance]) *cobra.Command {
	var migration simcloud.InstanceMigration
	cmd := verbWith(n, "migrate", "Move instances to another zone of their region", &migration, (*client.Client).MigrateInstance)
	cmd.Flags().StringVar((*string)(&migration.Zone), "zone", "", "zone to move to")
	usage.Need(cmd, "zone", "zone-b")
	return cmd
}

func newInstanceAddressCommand(n *noun[simcloud.Instance, *simcloud.Instance]) *cobra.Command {
	cmd := &cobra.Command{Use: "address", Short: "Manage the addresses of an instance", Args: usage.KnownCommand, RunE: usage.ShowHelp}
	cmd.AddCommand(newInstanceAddressAddCommand(n), newInstanceAddressRemoveCommand(n))
	return cmd
}

func newInstanceAddressAddCommand(n *noun[simcloud.Instance, *simcloud.Instance]) *cobra.Command {
	var spec simcloud.AddressSpec
	cmd := n.verb("add", "Add an address to instances",
		func(c *client.Client, ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (r simcloud.Result[simcloud.Instance], err error) {
			if err := networkNoun().resolve(ctx, c, &spec.Network); err != nil {
				return r, err
			}
			return c.AddInstanceAddress(ctx, id, spec, opts...)
		})
	cmd.Example = n.example("address add "+n.sample.name, "address add "+n.sample.name+" --address 10.0.0.50")
	f := cmd.Flags()
	f.StringVar((*string)(&spec.Scope), "scope", string(simcloud.ScopePrivate), "scope: private or public")
	f.IntVar(&spec.Family, "family", 0, "IP version, 4 or 6 (default: 4)")
	f.StringVar(&spec.Address, "address", "", "certain private address (default: a free one)")
	f.StringVar((*string)(&spec.Network), "network", "", "id or name of the network that a private address is of (default: the instance's own)")
	return cmd
}

func newInstanceAddressRemoveCommand(n *noun[simcloud.Instance, *simcloud.Instance]) *cobra.Command {
	return partVerb(n, "remove ID ADDRESS", "Remove an address from an instance", "address remove "+n.sample.name+" 10.0.0.50",
		func(ctx context.Context, c *client.Client, id simcloud.ID, part string) (simcloud.Result[simcloud.Instance], error) {
			return c.RemoveInstanceAddress(ctx, id, simcloud.ID(part))
		})
}

func newInstanceNetworkCommand(n *noun[simcloud.Instance, *simcloud.Instance]) *cobra.Command {
	return networked[simcloud.Instance, *simcloud.Instance]{
		noun: n, argument: "ID", network: "backend",
		attach: (*client.Client).AttachInstanceNetwork, detach: (*client.Client).DetachInstanceNetwork,
	}.networkCommand()
}
