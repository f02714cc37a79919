package resource

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newRouteTableCommand() *cobra.Command {
	n := &noun[simcloud.RouteTable, *simcloud.RouteTable]{
		kind: simcloud.KindRouteTable, use: "route-table", one: "a route table", title: "route tables", prefix: "rt-",
		sample: sample{name: "spare", create: []string{"create spare --network default --limit 50"}},
		list:   (*client.Client).ListRouteTables, get: (*client.Client).GetRouteTable, remove: (*client.Client).DeleteRouteTable,
		table: output.MetaColumns(
			output.Col("NETWORK", func(t simcloud.RouteTable) string { return string(t.Network) }),
			output.Col("LIMIT", func(t simcloud.RouteTable) string { return fmt.Sprint(t.Limit) }),
			output.Col("ROUTES", func(t simcloud.RouteTable) string { return output.JoinCells(t.Routes, routeCell) }),
		),
	}
	update := func(c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error) {
		return c.UpdateRouteTable(ctx, id, simcloud.RouteTableUpdate{Name: name, Labels: labels}, opts...)
	}
	cmd := n.command(newRouteTableCreateCommand(n), newRouteCommand(n), n.renameCommand(update), n.labelCommand(update), newRouteTableLimitCommand(n))
	cmd.Aliases = []string{"route-tables", "rt"}
	return cmd
}

// routeCell is "r-1:10.244.1.0/24->i-1", with the state when that is not good.
func routeCell(r simcloud.Route) string {
	cell := fmt.Sprintf("%s:%s->%s%s", r.ID, r.Destination, r.NextHop.Instance, r.NextHop.Address)
	if r.State != simcloud.RouteActive {
		cell += "(" + string(r.State) + ")"
	}
	return cell
}

func newRouteTableCreateCommand(n *noun[simcloud.RouteTable, *simcloud.RouteTable]) *cobra.Command {
	var spec simcloud.RouteTableSpec
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.RouteTable], error) {
		spec.Name, spec.Labels = name, labels
		if err := networkNoun().resolve(ctx, c, &spec.Network); err != nil {
			return simcloud.Result[simcloud.RouteTable]{}, err
		}
		return c.CreateRouteTable(ctx, spec)
	})
	cmd.Flags().StringVar((*string)(&spec.Network), "network", "", "id or name of the network (default: the cloud's first)")
	cmd.Flags().IntVar(&spec.Limit, "limit", 0, fmt.Sprintf("maximum number of routes; 0 means %d", simcloud.DefaultRouteLimit))
	return cmd
}

func newRouteCommand(n *noun[simcloud.RouteTable, *simcloud.RouteTable]) *cobra.Command {
	cmd := &cobra.Command{Use: "route", Short: "Manage the routes of a route table", Args: usage.KnownCommand, RunE: usage.ShowHelp}
	cmd.AddCommand(newRouteCreateCommand(n), newRouteDeleteCommand(n))
	return cmd
}

func newRouteCreateCommand(n *noun[simcloud.RouteTable, *simcloud.RouteTable]) *cobra.Command {
	var spec simcloud.RouteSpec
	var labels []string
	cmd := &cobra.Command{
		Use: "create TABLE DESTINATION", Short: "Add a route to a CIDR, through exactly one of --instance and --address",
		Example: n.example("route create "+n.sample.name+" 10.244.1.0/24 --instance node-1", "route create "+n.sample.name+" 10.244.2.0/24 --address 10.0.0.9"),
		Args:    usage.ExactArgs(2), ValidArgsFunction: n.completeFirst,
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) (err error) {
			spec.Destination = args[1]
			if spec.Labels, err = parseLabels(labels); err != nil {
				return err
			}
			table, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			if err := instanceNoun().resolve(ctx, c, &spec.NextHop.Instance); err != nil {
				return err
			}
			res, err := c.CreateRoute(ctx, table, spec)
			return n.result(ctx, c, out, res, err)
		}),
	}
	f := cmd.Flags()
	f.StringVar((*string)(&spec.NextHop.Instance), "instance", "", "id or name of the instance that is the next hop")
	f.StringVar(&spec.NextHop.Address, "address", "", "address of the next hop")
	f.StringVar(&spec.Name, "route-name", "", "name of the route")
	f.StringSliceVar(&labels, "label", nil, "label KEY=VALUE; can be repeated")
	n.addWait(cmd)
	return cmd
}

func newRouteDeleteCommand(n *noun[simcloud.RouteTable, *simcloud.RouteTable]) *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete TABLE ROUTE", Short: "Remove a route by its id", Args: usage.ExactArgs(2), ValidArgsFunction: n.completeFirst,
		Example: n.example("route delete " + n.sample.name + " r-1"),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			table, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			res, err := c.DeleteRoute(ctx, table, simcloud.ID(args[1]))
			return n.result(ctx, c, out, res, err)
		}),
	}
	n.addWait(cmd)
	return cmd
}

func newRouteTableLimitCommand(n *noun[simcloud.RouteTable, *simcloud.RouteTable]) *cobra.Command {
	return &cobra.Command{
		Use: "limit ID COUNT", Short: "Set the maximum number of routes", Args: usage.ExactArgs(2), ValidArgsFunction: n.completeFirst,
		Example: n.example("limit " + n.sample.name + " 100"),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			limit, err := strconv.Atoi(args[1])
			if err != nil {
				return exit.Usage(fmt.Errorf("%q is not a number", args[1]))
			}
			id, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			res, err := c.UpdateRouteTable(ctx, id, simcloud.RouteTableUpdate{Limit: &limit})
			return n.result(ctx, c, out, res, err)
		}),
	}
}
