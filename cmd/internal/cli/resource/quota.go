package resource

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newQuotaCommand() *cobra.Command {
	n := &noun[simcloud.Quota, *simcloud.Quota]{
		kind: simcloud.KindQuota, use: "quota", one: "a quota", title: "quotas",
		sample: sample{name: "default.load_balancer"},
		list:   (*client.Client).ListQuotas, get: (*client.Client).GetQuota,
		table: output.MetaColumns(
			output.Col("PROJECT", func(q simcloud.Quota) string { return string(q.Project) }),
			output.Col("RESOURCE", func(q simcloud.Quota) string { return string(q.Resource) }),
			output.Col("LIMIT", func(q simcloud.Quota) string { return limitCell(q.Limit) }),
			output.Col("USED", func(q simcloud.Quota) string { return strconv.Itoa(q.Used) }),
		),
	}
	cmd := n.command(newQuotaSetCommand(n))
	cmd.Aliases = []string{"quotas"}
	return cmd
}

// quotaID is the id of a quota, of the default project when it names none.
func quotaID(arg string) simcloud.ID {
	if strings.Contains(arg, ".") {
		return simcloud.ID(arg)
	}
	return simcloud.DefaultProject + "." + simcloud.ID(arg)
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
		Use: "set ID LIMIT", Short: "Set how much a project may have; " + unlimited + " for any amount", Args: usage.ExactArgs(2), ValidArgsFunction: n.completeFirst,
		Long: `Set how much a project may have; ` + unlimited + ` for any amount. ID is PROJECT.RESOURCE, or
RESOURCE for the project ` + string(simcloud.DefaultProject) + `.`,
		Example: n.example("set "+n.sample.name+" 3", "set load_balancer "+unlimited),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			limit, err := strconv.Atoi(args[1])
			if args[1] == unlimited {
				limit, err = simcloud.Unlimited, nil
			}
			if err != nil {
				return exit.Usage(fmt.Errorf("%q is not a number or %s", args[1], unlimited))
			}
			res, err := c.SetQuota(ctx, quotaID(args[0]), simcloud.QuotaSpec{Limit: limit})
			return n.result(ctx, c, out, res, err)
		}),
	}
}
