package resource

import (
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// OperationTable shows long-running operations.
var OperationTable = output.Table[simcloud.Operation]{
	output.Col("ID", func(o simcloud.Operation) string { return string(o.ID) }),
	output.Col("VERB", func(o simcloud.Operation) string { return o.Verb }),
	output.Col("RESOURCE", func(o simcloud.Operation) string { return output.AttachmentCell(o.Resource) }),
	output.Col("STATE", func(o simcloud.Operation) string { return string(o.State) }),
	output.Col("PROGRESS", func(o simcloud.Operation) string { return strconv.Itoa(o.Progress) + "%" }),
	output.Col("ERROR", func(o simcloud.Operation) string { return o.Error }),
	output.WideCol("CODE", func(o simcloud.Operation) string { return string(o.Code) }),
	output.WideCol("STARTED", func(o simcloud.Operation) string { return output.TimeCell(o.Started) }),
	output.WideCol("READY", func(o simcloud.Operation) string { return output.TimeCell(o.ReadyAt) }),
	output.WideCol("FINISHED", func(o simcloud.Operation) string { return output.TimeCell(o.Finished) }),
}

func newOperationCommand() *cobra.Command {
	n := &noun[simcloud.Operation, *simcloud.Operation]{
		kind: simcloud.KindOperation, use: "operation", one: "an operation", title: "operations", prefix: "op-",
		sample: sample{name: "op-1", list: "--state failed -o wide"},
		list:   (*client.Client).ListOperations, get: (*client.Client).GetOperation,
		table: OperationTable,
	}
	cmd := n.command(newOperationWaitCommand(n))
	cmd.Aliases = []string{"operations", "op"}
	return cmd
}

func newOperationWaitCommand(n *noun[simcloud.Operation, *simcloud.Operation]) *cobra.Command {
	return &cobra.Command{
		Use: "wait ID...", Short: "Wait until operations have ended; fails when one has failed", Args: usage.MinArgs(1), ValidArgsFunction: n.complete,
		Example: n.example("wait " + n.sample.name),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			var ops []simcloud.Operation
			for _, arg := range args {
				op, err := n.Await(ctx, c, simcloud.Operation{Meta: simcloud.Meta{ID: simcloud.ID(arg)}})
				if err != nil {
					return errors.Join(err, n.table.All(out, n.Out, ops, len(args)))
				}
				ops = append(ops, op)
			}
			return n.table.All(out, n.Out, ops, len(args))
		}),
	}
}
