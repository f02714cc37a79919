package resource

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newVolumeCommand() *cobra.Command {
	n := &noun[simcloud.Volume, *simcloud.Volume]{
		kind: simcloud.KindVolume, use: "volume", one: "a volume", title: "volumes", prefix: "vol-",
		sample: sample{name: "data-1", create: []string{"create data-1 --size 10 --zone zone-a", "create data-2 --type hdd -o json"}},
		list:   (*client.Client).ListVolumes, get: (*client.Client).GetVolume, remove: (*client.Client).DeleteVolume,
		zone: func(v simcloud.Volume) simcloud.ID { return v.Zone },
		table: output.MetaColumns(
			output.Col("STATE", func(v simcloud.Volume) string { return string(v.State) }),
			output.Col("SIZE", func(v simcloud.Volume) string { return strconv.Itoa(v.SizeGiB) + "GiB" }),
			output.Col("ZONE", func(v simcloud.Volume) string { return string(v.Zone) }),
			output.Col("ATTACHED", func(v simcloud.Volume) string { return string(v.AttachedTo) }),
			output.WideCol("DEVICE", func(v simcloud.Volume) string { return v.Device }),
			output.WideCol("TYPE", func(v simcloud.Volume) string { return string(v.Type) }),
		),
	}
	update := func(c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Volume], error) {
		return c.UpdateVolume(ctx, id, simcloud.VolumeUpdate{Name: name, Labels: labels}, opts...)
	}
	cmd := n.command(
		newVolumeCreateCommand(n), newVolumeAttachCommand(n), newVolumeResizeCommand(n),
		n.verb("detach", "Detach volumes", (*client.Client).DetachVolume),
		n.renameCommand(update), n.labelCommand(update),
	)
	cmd.AddCommand(n.protectCommands(func(
		c *client.Client, ctx context.Context, id simcloud.ID, on *bool, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.Volume], error) {
		return c.UpdateVolume(ctx, id, simcloud.VolumeUpdate{Protected: on}, opts...)
	})...)
	cmd.Aliases = []string{"volumes", "vol"}
	return cmd
}

func newVolumeCreateCommand(n *noun[simcloud.Volume, *simcloud.Volume]) *cobra.Command {
	var spec simcloud.VolumeSpec
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Volume], error) {
		spec.Name, spec.Labels = name, labels
		return c.CreateVolume(ctx, spec)
	})
	f := cmd.Flags()
	f.BoolVar(&spec.Protected, "protected", false, "protection from deletion")
	usage.SizeFlag(f, &spec.SizeGiB, "size", "GiB", 10, "size, such as 20 or 20GiB")
	f.StringVar((*string)(&spec.Type), "type", "", "ssd or hdd (default: ssd)")
	f.StringVar((*string)(&spec.Zone), "zone", "", "zone (default: the first that is available)")
	return cmd
}

func newVolumeAttachCommand(n *noun[simcloud.Volume, *simcloud.Volume]) *cobra.Command {
	var to simcloud.VolumeAttachment
	cmd := &cobra.Command{
		Use: "attach ID INSTANCE", Short: "Attach a volume to an instance of its zone", Args: usage.ExactArgs(2),
		Example:           n.example("attach "+n.sample.name+" node-1", "attach "+n.sample.name+" node-1 --device /dev/sdc"),
		ValidArgsFunction: usage.InTurn(n.complete, instanceNoun().words(&n.Conn)),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			id, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			if to.Instance, err = instanceNoun().id(ctx, c, args[1]); err != nil {
				return err
			}
			res, err := c.AttachVolume(ctx, id, to)
			return n.result(ctx, c, out, res, err)
		}),
	}
	cmd.Flags().StringVar(&to.Device, "device", "", "device name in the instance, such as /dev/sdc (default: the next that is free)")
	n.addWait(cmd)
	return cmd
}

func newVolumeResizeCommand(n *noun[simcloud.Volume, *simcloud.Volume]) *cobra.Command {
	var resize simcloud.VolumeResize
	cmd := verbWith(n, "resize", "Grow volumes", &resize, (*client.Client).ResizeVolume)
	usage.SizeFlag(cmd.Flags(), &resize.SizeGiB, "size", "GiB", 0, "new size, such as 20 or 20GiB")
	usage.Need(cmd, "size", "20")
	return cmd
}
