package resource

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func instanceNoun() *noun[simcloud.Instance, *simcloud.Instance] {
	return &noun[simcloud.Instance, *simcloud.Instance]{
		kind: simcloud.KindInstance, use: "instance", one: "an instance", title: "instances", prefix: "i-",
		sample: sample{
			name: "node-1", list: "-l app=web --state running --zone zone-a -o wide",
			create: []string{"create node-1 --type small --zone zone-a", "create node-2 --label app=web -o json", "create worker --count 3"},
		},
		list: (*client.Client).ListInstances, get: (*client.Client).GetInstance, remove: (*client.Client).DeleteInstance,
		zone: func(i simcloud.Instance) simcloud.ID { return i.Zone },
		table: output.MetaColumns(
			output.Col("STATE", instanceStateCell),
			output.Col("TYPE", func(i simcloud.Instance) string { return string(i.Type) }),
			output.Col("ZONE", func(i simcloud.Instance) string { return string(i.Zone) }),
			output.Col("PRIVATE", func(i simcloud.Instance) string { return output.AddressCell(i.Addresses, simcloud.ScopePrivate) }),
			output.Col("PUBLIC", func(i simcloud.Instance) string { return output.AddressCell(i.Addresses, simcloud.ScopePublic) }),
			output.WideCol("HOSTNAME", func(i simcloud.Instance) string { return i.Hostname }),
			output.WideCol("NETWORK", func(i simcloud.Instance) string { return output.JoinCells(i.Networks(), output.IDCell) }),
			output.WideCol("SUBNET", func(i simcloud.Instance) string { return output.JoinCells(subnetsOf(i), output.IDCell) }),
			output.WideCol("VOLUMES", func(i simcloud.Instance) string { return output.JoinCells(i.Volumes, output.IDCell) }),
			output.WideCol("KEYS", func(i simcloud.Instance) string { return output.JoinCells(i.SSHKeys, output.IDCell) }),
			output.WideCol("GROUPS", func(i simcloud.Instance) string { return output.JoinCells(i.SecurityGroups, output.IDCell) }),
			output.WideCol("STATUS", func(i simcloud.Instance) string { return i.StatusText }),
		),
	}
}

func newInstanceCommand() *cobra.Command {
	n := instanceNoun()
	n.warnings = sameHostname
	cmd := n.command(
		newInstanceCreateCommand(n),
		n.verb("start", "Start stopped instances", (*client.Client).StartInstance),
		n.verb("stop", "Stop running instances", (*client.Client).StopInstance),
		n.verb("reboot", "Reboot instances", (*client.Client).RebootInstance),
		n.verb("suspend", "Suspend running instances; start resumes them", (*client.Client).SuspendInstance),
		newInstanceRebuildCommand(n), newInstanceResizeCommand(n), newInstanceMigrateCommand(n), newInstanceAddressCommand(n), newInstanceNetworkCommand(n),
		n.renameCommand(updateInstance), n.labelCommand(updateInstance),
		n.verb("recreate", "Replace instances by new ones with the same name", (*client.Client).RecreateInstance),
	)
	cmd.AddCommand(n.protectCommands(func(
		c *client.Client, ctx context.Context, id simcloud.ID, on *bool, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.Instance], error) {
		return c.UpdateInstance(ctx, id, simcloud.InstanceUpdate{Protected: on}, opts...)
	})...)
	cmd.AddCommand(n.ptrCommand(func(
		c *client.Client, ctx context.Context, id simcloud.ID, names *map[string]string, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.Instance], error) {
		return c.UpdateInstance(ctx, id, simcloud.InstanceUpdate{PTRs: names}, opts...)
	}))
	cmd.AddCommand(n.groupsCommand(func(
		c *client.Client, ctx context.Context, id simcloud.ID, groups *[]simcloud.ID, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.Instance], error) {
		return c.UpdateInstance(ctx, id, simcloud.InstanceUpdate{SecurityGroups: groups}, opts...)
	}))
	cmd.AddCommand(n.optionsCommand(func(
		c *client.Client, ctx context.Context, id simcloud.ID, options *map[string]string, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.Instance], error) {
		return c.UpdateInstance(ctx, id, simcloud.InstanceUpdate{Options: options}, opts...)
	}))
	cmd.Aliases = []string{"instances", "vm"}
	return cmd
}

// subnetsOf are the subnets that the addresses of an instance are from: that of its own
// network first, each once.
func subnetsOf(i simcloud.Instance) []simcloud.ID {
	subnets := []simcloud.ID{i.Subnet}
	for _, a := range i.Addresses {
		if !slices.Contains(subnets, a.Subnet) {
			subnets = append(subnets, a.Subnet)
		}
	}
	return subnets
}

// instanceStateCell is the state, and whether the machine answers.
func instanceStateCell(i simcloud.Instance) string {
	if i.Unreachable {
		return string(i.State) + "(unreachable)"
	}
	return string(i.State)
}

// sameHostname warns of new instances that have the hostname of another instance. A cloud allows it, and a new user may
// have created an instance for a Node that there is.
func sameHostname(ctx context.Context, c *client.Client, created []simcloud.Instance) []string {
	all, err := simcloud.ListAll(ctx, c.ListInstances, simcloud.ListOptions{})
	if err != nil { // the creation is what was asked for
		return nil
	}
	first := map[string]simcloud.ID{}
	var warnings []string
	for _, i := range all {
		other, twice := first[i.Hostname]
		switch {
		case i.State == simcloud.InstanceTerminating:
		case !twice:
			first[i.Hostname] = i.ID
		case slices.ContainsFunc(created, func(n simcloud.Instance) bool { return n.ID == i.ID }):
			warnings = append(warnings, fmt.Sprintf("%s has the hostname %q of %s: a CCM cannot tell which of them is the Node %q", i.ID, i.Hostname, other, i.Hostname))
		}
	}
	return warnings
}

func updateInstance(
	c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Instance], error) {
	return c.UpdateInstance(ctx, id, simcloud.InstanceUpdate{Name: name, Labels: labels}, opts...)
}

func newInstanceCreateCommand(n *noun[simcloud.Instance, *simcloud.Instance]) *cobra.Command {
	var spec simcloud.InstanceSpec
	var keys, networks, groups []string
	var options optionFlags
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Instance], error) {
		spec.Name, spec.Labels = name, labels
		ids, err := sshKeyNoun().resolved(ctx, c, keys)
		err = cmp.Or(err, networkNoun().resolve(ctx, c, &spec.Network), subnetNoun().resolve(ctx, c, &spec.Subnet))
		if err != nil {
			return simcloud.Result[simcloud.Instance]{}, err
		}
		spec.SSHKeys = ids
		if spec.SecurityGroups, err = securityGroupNoun().resolved(ctx, c, groups); err != nil {
			return simcloud.Result[simcloud.Instance]{}, err
		}
		if spec.Networks, err = attachments(ctx, c, networks); err != nil {
			return simcloud.Result[simcloud.Instance]{}, err
		}
		if spec.Options, err = options.options(); err != nil {
			return simcloud.Result[simcloud.Instance]{}, err
		}
		return c.CreateInstance(ctx, spec)
	})
	n.addCount(cmd)
	f := cmd.Flags()
	f.StringVar((*string)(&spec.Type), "type", "", "instance type (default: the cloud's first)")
	f.StringVar((*string)(&spec.Zone), "zone", "", "zone (default: the zones in turn)")
	f.StringVar((*string)(&spec.Network), "network", "", "id or name of the network (default: the cloud's first)")
	f.StringVar((*string)(&spec.Subnet), "subnet", "", "id or name of the subnet (default: the whole network)")
	f.StringVar(&spec.PrivateAddress, "private-address", "", "certain private address of the network or of the subnet (default: the next that is free)")
	f.StringSliceVar(&networks, "attach-network", nil, "id or name of one more network to have addresses of; can be repeated")
	f.StringSliceVar(&keys, "key", nil, "id or name of an SSH key; can be repeated")
	f.StringSliceVar(&groups, "security-group", nil, "id or name of a security group; can be repeated (default: none, which lets everything in)")
	f.StringVar(&spec.Hostname, "hostname", "", "name inside the instance, and of its node (default: NAME, or what \"config set --hostnames\" has set)")
	f.StringVar(&spec.UserData, "user-data", "", "text for the instance's first start")
	f.IntSliceVar(&spec.PublicFamilies, "public-family", nil, "address family, 4 or 6, of a public address to have; can be repeated (default: those of the network)")
	f.BoolVar(&spec.NoPublicAddress, "no-public-address", false, "private address only")
	f.BoolVar(&spec.Protected, "protected", false, "protection from deletion")
	options.add(f)
	return cmd
}
