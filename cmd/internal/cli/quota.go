package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newQuotaCommand() *cobra.Command {
	n := &noun[simcloud.Quota, *simcloud.Quota]{
		kind: simcloud.KindQuota, use: "quota", title: "limits of projects, and what they use",
		list: (*client.Client).ListQuotas, get: (*client.Client).GetQuota,
		table: metaColumns(
			col("PROJECT", func(q simcloud.Quota) string { return string(q.Project) }),
			col("RESOURCE", func(q simcloud.Quota) string { return string(q.Resource) }),
			col("LIMIT", func(q simcloud.Quota) string { return limitCell(q.Limit) }),
			col("USED", func(q simcloud.Quota) string { return strconv.Itoa(q.Used) }),
		),
	}
	cmd := n.command(newQuotaSetCommand(n))
	cmd.Aliases = []string{"quotas"}
	return cmd
}

const unlimited = "unlimited"

func limitCell(limit int) string {
	if limit == simcloud.Unlimited {
		return unlimited
	}
	return strconv.Itoa(limit)
}

func newQuotaSetCommand(n *noun[simcloud.Quota, *simcloud.Quota]) *cobra.Command {
	return &cobra.Command{
		Use: "set ID LIMIT", Short: "Set how much a project may have; " + unlimited + " for any amount", Args: exactArgs(2), ValidArgsFunction: n.completeFirst,
		Example: "  simcloud quota set default.load_balancer 3",
		RunE: n.run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			limit, err := strconv.Atoi(args[1])
			if args[1] == unlimited {
				limit, err = simcloud.Unlimited, nil
			}
			if err != nil {
				return usageError(fmt.Errorf("%q is not a number or %s", args[1], unlimited))
			}
			res, err := c.SetQuota(ctx, simcloud.ID(args[0]), simcloud.QuotaSpec{Limit: limit})
			return n.result(ctx, c, out, res, err)
		}),
	}
}
