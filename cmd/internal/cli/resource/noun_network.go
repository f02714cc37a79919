package resource

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// networked is a noun of what can be attached to several networks.
type networked[T any, P output.Resource[T]] struct {
	*noun[T, P]
	// argument is one of them in usage lines.
	argument string
	// network is one of the examples, flags is what they give with it.
	network, flags string

	attach func(*client.Client, context.Context, simcloud.ID, simcloud.NetworkAttachment, ...simcloud.CallOption) (simcloud.Result[T], error)
	detach func(*client.Client, context.Context, simcloud.ID, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[T], error)
}

// networkCommand is "simcloud NOUN network".
func (n networked[T, P]) networkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "network", Short: "Manage the networks that " + n.one + " is attached to", Args: usage.KnownCommand, RunE: usage.ShowHelp,
	}
	cmd.AddCommand(n.attachCommand(), n.detachCommand())
	return cmd
}

func (n networked[T, P]) attachCommand() *cobra.Command {
	var to simcloud.NetworkAttachment
	example := "network attach " + n.sample.name + " " + n.network + n.flags
	cmd := partVerb(n.noun, "attach "+n.argument+" NETWORK", "Attach "+n.one+" to a network, of which it gets addresses", example,
		func(ctx context.Context, c *client.Client, id simcloud.ID, part string) (r simcloud.Result[T], err error) {
			to.Network = simcloud.ID(part)
			if err := cmp.Or(networkNoun().resolve(ctx, c, &to.Network), subnetNoun().resolve(ctx, c, &to.Subnet)); err != nil {
				return r, err
			}
			return n.attach(c, ctx, id, to)
		})
	cmd.Flags().StringVar(&to.Address, "address", "", "certain address of the network (default: a free one)")
	cmd.Flags().StringVar((*string)(&to.Subnet), "subnet", "", "id or name of the subnet that the address is from (default: the rest of the network)")
	return cmd
}

func (n networked[T, P]) detachCommand() *cobra.Command {
	example := "network detach " + n.sample.name + " " + n.network
	return partVerb(n.noun, "detach "+n.argument+" NETWORK", "Detach "+n.one+" from a network, and free its addresses", example,
		func(ctx context.Context, c *client.Client, id simcloud.ID, part string) (r simcloud.Result[T], err error) {
			network, err := networkNoun().id(ctx, c, part)
			if err != nil {
				return r, err
			}
			return n.detach(c, ctx, id, network)
		})
}

// attachments are what a creation attaches, by the ids or names of networks.
func attachments(ctx context.Context, c *client.Client, networks []string) ([]simcloud.NetworkAttachment, error) {
	ids, err := networkNoun().resolved(ctx, c, networks)
	var all []simcloud.NetworkAttachment
	for _, id := range ids {
		all = append(all, simcloud.NetworkAttachment{Network: id})
	}
	return all, err
}
