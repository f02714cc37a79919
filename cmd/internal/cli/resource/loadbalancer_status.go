package resource

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

var dataPlaneTable = output.Table[simcloud.DataPlaneListener]{
	output.Col("LB", func(l simcloud.DataPlaneListener) string { return string(l.LoadBalancer) }),
	output.Col("LISTENER", func(l simcloud.DataPlaneListener) string { return string(l.Listener) }),
	output.Col("ADDRESS", func(l simcloud.DataPlaneListener) string { return net.JoinHostPort(l.Address, strconv.Itoa(l.Port)) }),
	output.Col("OPEN", func(l simcloud.DataPlaneListener) string { return strconv.FormatInt(l.Connections, 10) }),
	output.Col("ACCEPTED", func(l simcloud.DataPlaneListener) string { return strconv.FormatInt(l.Accepted, 10) }),
	output.WideCol("REFUSED", refusedCell),
	output.WideCol("RECEIVED", func(l simcloud.DataPlaneListener) string { return strconv.FormatInt(l.Received, 10) }),
	output.WideCol("SENT", func(l simcloud.DataPlaneListener) string { return strconv.FormatInt(l.Sent, 10) }),
	output.Col("TARGETS", func(l simcloud.DataPlaneListener) string { return output.JoinCells(l.Targets, dataPlaneTargetCell) }),
	output.Col("PROBLEM", func(l simcloud.DataPlaneListener) string { return l.Error }),
}

// refusedCell is "dial=2,source=1".
func refusedCell(l simcloud.DataPlaneListener) string {
	return output.JoinCells(slices.Sorted(maps.Keys(l.Refused)), func(reason string) string {
		return reason + "=" + strconv.FormatInt(l.Refused[reason], 10)
	})
}

// dataPlaneTargetCell is the instance or the address, with the port of a target of a group, and with its health and the reason when
// that is not good.
func dataPlaneTargetCell(t simcloud.DataPlaneTarget) string {
	text := cmp.Or(string(t.Instance), t.Address)
	if t.Port != 0 {
		text = net.JoinHostPort(text, strconv.Itoa(t.Port))
	}
	switch {
	case t.Health == simcloud.TargetHealthy:
		return text
	case t.Reason == "":
		return fmt.Sprintf("%s(%s)", text, t.Health)
	default:
		return fmt.Sprintf("%s(%s: %s)", text, t.Health, t.Reason)
	}
}

func newLoadBalancerStatusCommand(n *loadBalancerNoun) *cobra.Command {
	return &cobra.Command{
		Use: "status [ID...]", Short: "Show what the data plane serves, and why a listener is down", ValidArgsFunction: n.complete,
		Example: n.example("status", "status "+n.sample.name+" -o wide"),
		Long: `Show what the data plane does for all load balancers, or those named: each
listener at each VIP, its connections, the health of its targets as it finds it,
and why it does not listen, if so. The cloud needs --dataplane, the token the role admin.`,
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			named, err := n.resolved(ctx, c, args)
			if err != nil {
				return err
			}
			plane, err := c.GetDataPlane(ctx)
			if err != nil {
				return err
			}
			if !plane.Running {
				return simcloud.Errorf(simcloud.Conflict, "", "the cloud has no data plane: start it with --dataplane")
			}
			return dataPlaneTable.List(out, n.Out, slices.DeleteFunc(plane.Listeners, func(l simcloud.DataPlaneListener) bool {
				return len(args) > 0 && !slices.Contains(named, l.LoadBalancer)
			}))
		}),
	}
}
