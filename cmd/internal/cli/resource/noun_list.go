package resource

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// listFlags choose what "list" shows.
type listFlags struct {
	opts  simcloud.ListOptions
	zone  simcloud.ID
	watch bool
}

func (n *noun[T, P]) listCommand() *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List " + n.title, Args: usage.NoArgs,
		Example: n.example("list", "list "+cmp.Or(n.sample.list, "-o json")),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			if err := f.narrow(ctx, c); err != nil {
				return err
			}
			if f.watch {
				return n.watch(ctx, c, out, f)
			}
			items, err := simcloud.ListAll(ctx, n.lister(c), f.opts)
			if err != nil {
				return err
			}
			return n.table.ListOr(out, n.Err, n.Out, n.inZone(items, f.zone), n.none(f))
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.opts.Name, "name", "", "only those with this name")
	flags.StringVarP(&f.opts.Selector, "selector", "l", "", "only those with these labels, such as app=web,tier!=db")
	flags.StringVar(&f.opts.State, "state", "", "only those in this state")
	flags.StringVar(&f.opts.RefersTo, "refers-to", "", "only those that refer to this resource, as kind/id, such as instance/i-7")
	if n.zone != nil {
		flags.StringVar((*string)(&f.zone), "zone", "", "only those in this zone")
	}
	flags.BoolVarP(&f.watch, "watch", "w", false, "line for each change to come, after the list")
	cmd.MarkFlagsMutuallyExclusive("refers-to", "watch")
	return cmd
}

// narrow lets the cloud choose by the zone, to which resources refer, where it can. An empty list would hide a zone
// that does not exist.
func (f *listFlags) narrow(ctx context.Context, c *client.Client) error {
	if f.zone == "" {
		return nil
	}
	zones, err := simcloud.ListAll(ctx, c.ListZones, simcloud.ListOptions{})
	if err != nil {
		return err
	}
	var have []string
	for _, zone := range zones {
		have = append(have, string(zone.ID))
	}
	if !slices.Contains(have, string(f.zone)) {
		return exit.Usage(fmt.Errorf("--zone: zone %q not found (have %s)", f.zone, strings.Join(have, ", ")))
	}
	f.opts.RefersTo = cmp.Or(f.opts.RefersTo, simcloud.Ref(simcloud.KindZone, f.zone))
	return nil
}

// inZone returns the items of a zone, or all for none: with --refers-to the cloud does not choose by the zone.
func (n *noun[T, P]) inZone(items []T, zone simcloud.ID) []T {
	if zone == "" {
		return items
	}
	return slices.DeleteFunc(items, func(item T) bool { return n.zone(item) != zone })
}

// none tells that a list is empty, for all that there could be or for what was asked for.
func (n *noun[T, P]) none(f listFlags) string {
	if f.opts == (simcloud.ListOptions{}) {
		return "No " + n.title + "."
	}
	return "No " + n.title + " match."
}
