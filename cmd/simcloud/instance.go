package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newInstanceCommand() *cobra.Command {
	n := &noun[simcloud.Instance, *simcloud.Instance]{
		use: "instance", title: "virtual machines", prefix: "i-",
		list: (*client.Client).ListInstances, get: (*client.Client).GetInstance, remove: (*client.Client).DeleteInstance,
		table: metaColumns(
			column[simcloud.Instance]{"STATE", false, func(i simcloud.Instance) string { return string(i.State) }},
			column[simcloud.Instance]{"TYPE", false, func(i simcloud.Instance) string { return string(i.Type) }},
			column[simcloud.Instance]{"ZONE", false, func(i simcloud.Instance) string { return string(i.Zone) }},
			column[simcloud.Instance]{"PRIVATE", false, func(i simcloud.Instance) string { return addressCell(i.Addresses, simcloud.ScopePrivate) }},
			column[simcloud.Instance]{"PUBLIC", false, func(i simcloud.Instance) string { return addressCell(i.Addresses, simcloud.ScopePublic) }},
			column[simcloud.Instance]{"HOSTNAME", true, func(i simcloud.Instance) string { return i.Hostname }},
			column[simcloud.Instance]{"NETWORK", true, func(i simcloud.Instance) string { return string(i.Network) }},
		),
	}
	cmd := n.command(
		newInstanceCreateCommand(n),
		n.verb("start", "Start stopped machines", (*client.Client).StartInstance),
		n.verb("stop", "Stop running machines", (*client.Client).StopInstance),
		n.verb("reboot", "Stop and start machines", (*client.Client).RebootInstance),
		n.verb("recreate", "Replace machines by new ones of the same name", (*client.Client).RecreateInstance),
	)
	cmd.Aliases = []string{"instances", "vm"}
	return cmd
}

func newInstanceCreateCommand(n *noun[simcloud.Instance, *simcloud.Instance]) *cobra.Command {
	var spec simcloud.InstanceSpec
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Instance], error) {
		spec.Name, spec.Labels = name, labels
		return c.CreateInstance(ctx, spec)
	})
	f := cmd.Flags()
	f.StringVar((*string)(&spec.Type), "type", "", "instance type (default: the cloud's first)")
	f.StringVar((*string)(&spec.Zone), "zone", "", "zone (default: the zones in turn)")
	f.StringVar((*string)(&spec.Network), "network", "", "id of the network (default: the cloud's first)")
	f.StringVar(&spec.Hostname, "hostname", "", "name inside the machine, and of its node (default: NAME)")
	f.StringVar(&spec.UserData, "user-data", "", "text for the machine's first start")
	f.BoolVar(&spec.NoPublicAddress, "no-public-address", false, "with a private address alone")
	return cmd
}
