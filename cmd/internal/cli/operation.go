package cli

import (
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// operationTable shows long-running operations.
var operationTable = table[simcloud.Operation]{
	col("ID", func(o simcloud.Operation) string { return string(o.ID) }),
	col("VERB", func(o simcloud.Operation) string { return o.Verb }),
	col("RESOURCE", func(o simcloud.Operation) string { return attachmentCell(o.Resource) }),
	col("STATE", func(o simcloud.Operation) string { return string(o.State) }),
	col("PROGRESS", func(o simcloud.Operation) string { return strconv.Itoa(o.Progress) + "%" }),
	col("ERROR", func(o simcloud.Operation) string { return o.Error }),
	wideCol("STARTED", func(o simcloud.Operation) string { return timeCell(o.Started) }),
	wideCol("READY", func(o simcloud.Operation) string { return timeCell(o.ReadyAt) }),
	wideCol("FINISHED", func(o simcloud.Operation) string { return timeCell(o.Finished) }),
}

func newOperationCommand() *cobra.Command {
	n := &noun[simcloud.Operation, *simcloud.Operation]{
		kind: simcloud.KindOperation, use: "operation", title: "operations", prefix: "op-",
		list: (*client.Client).ListOperations, get: (*client.Client).GetOperation,
		table: operationTable,
	}
	cmd := n.command(newOperationWaitCommand(n))
	cmd.Aliases = []string{"operations", "op"}
	return cmd
}

func newOperationWaitCommand(n *noun[simcloud.Operation, *simcloud.Operation]) *cobra.Command {
	return &cobra.Command{
		Use: "wait ID...", Short: "Wait until operations have ended; fails when one has failed", Args: minArgs(1), ValidArgsFunction: n.complete,
		RunE: n.run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			var ops []simcloud.Operation
			for _, arg := range args {
				op, err := waitOperation(ctx, c, simcloud.Operation{Meta: simcloud.Meta{ID: simcloud.ID(arg)}})
				if err != nil {
					return errors.Join(err, n.table.all(out, n.out, ops, len(args)))
				}
				ops = append(ops, op)
			}
			return n.table.all(out, n.out, ops, len(args))
		}),
	}
}
