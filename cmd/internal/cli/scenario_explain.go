package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

func newScenarioExplainCommand(format *output.Format) *cobra.Command {
	return &cobra.Command{
		Use: "explain [NAME]", Short: "Show the arguments and the answer of an operation, or the fields of what expressions read",
		Long: `Show the arguments and the answer of an operation, or the fields of what
expressions read. NAME is an operation of the cloud, such as CreateInstance, or a
variable with a path below it, such as nodes.status.addresses: keys and indexes are
left out. Without a name it lists both.`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: completeExplained,
		Example: "  simcloud scenario explain\n  simcloud scenario explain CreateInstance\n  simcloud scenario explain nodes.status",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listExplained(cmd.OutOrStdout())
			}
			e, err := step.Explain(args[0])
			switch {
			case err != nil:
				return exit.Usage(err)
			case format.IsDocument():
				return output.Document(cmd.OutOrStdout(), *format, e)
			default:
				return printExplained(cmd.OutOrStdout(), e)
			}
		},
	}
}

func completeExplained(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names := syntax.OperationNames()
	for _, v := range expr.Variables {
		names = append(names, v.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func listExplained(w io.Writer) error {
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tabs, "VARIABLE\tTYPE\tWHAT IT IS")
	for _, v := range expr.Variables {
		fmt.Fprintf(tabs, "%s\t%s\t%s\n", v.Name, v.Type().Name(), v.Doc())
	}
	if err := tabs.Flush(); err != nil {
		return err
	}
	return output.PrintLine(w, "OPERATIONS  "+strings.Join(syntax.OperationNames(), ", "))
}

func printExplained(w io.Writer, e step.Explained) error {
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tabs, "%s  %s\n", e.Name, e.Type)
	if e.Doc != "" {
		fmt.Fprintln(tabs, e.Doc)
	}
	for _, part := range []struct {
		title  string
		fields []step.Field
	}{{"ARGUMENT", e.Arguments}, {"FIELD", e.Fields}} {
		if len(part.fields) == 0 {
			continue
		}
		fmt.Fprintf(tabs, "\n%s\tTYPE\tONE OF\n", part.title)
		for _, f := range part.fields {
			fmt.Fprintln(tabs, strings.TrimRight(strings.Join([]string{f.Name, f.Type, strings.Join(f.Words, ", ")}, "\t"), "\t"))
		}
	}
	return tabs.Flush()
}
