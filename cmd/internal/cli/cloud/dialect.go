package cloud

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

var variantTable = output.Table[simcloud.DialectVariant]{
	output.Col("VARIANT", func(v simcloud.DialectVariant) string { return v.Name }),
	output.Col("VALUES", func(v simcloud.DialectVariant) string { return strings.Join(v.Values, ", ") }),
	output.Col("MEANING", func(v simcloud.DialectVariant) string { return v.Meaning }),
}

var dialectTable = output.Table[dialect.Dialect]{
	output.Col("NAME", func(d dialect.Dialect) string { return d.Name }),
	output.Col("API", func(d dialect.Dialect) string { return d.Title }),
	output.Col("PATH", func(d dialect.Dialect) string { return d.Path }),
	output.Col("CREDENTIAL", func(d dialect.Dialect) string { return d.Credential }),
	output.Col("OPERATIONS", func(d dialect.Dialect) string { return strconv.Itoa(len(d.Operations) - len(d.Missing())) }),
	output.Col("MISSING", func(d dialect.Dialect) string { return strconv.Itoa(len(d.Missing())) }),
}

var variableTable = output.Table[dialect.Variable]{
	output.Col("VARIABLE", func(v dialect.Variable) string { return v.Name }),
	output.Col("VALUE", func(v dialect.Variable) string { return v.Value }),
	output.Col("PURPOSE", func(v dialect.Variable) string { return v.Purpose }),
}

var dialectOperationTable = output.Table[dialect.Operation]{
	output.Col("OPERATION", func(o dialect.Operation) string { return o.Name }),
	output.Col("METHOD", func(o dialect.Operation) string { return o.Method }),
	output.Col("PATH", func(o dialect.Operation) string { return o.Path }),
	output.Col("CORE", func(o dialect.Operation) string { return o.Core }),
	output.Col("STANDING", func(o dialect.Operation) string { return string(o.Standing) }),
}

func newDialectCommand() *cobra.Command {
	var out output.Format
	cmd := &cobra.Command{
		Use: "dialect", Aliases: []string{"dialects"}, Short: "Show the APIs of other clouds that each cloud serves", Args: usage.KnownCommand, RunE: usage.ShowHelp,
		Example: "  simcloud dialect list\n  simcloud dialect show hcloud",
	}
	out.AddFlag(cmd)
	cmd.AddCommand(newDialectListCommand(&out), newDialectShowCommand(&out), newDialectMissingCommand(&out))
	return cmd
}

func newDialectListCommand(format *output.Format) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List dialects", Args: usage.NoArgs,
		Example: "  simcloud dialect list\n  simcloud dialect list -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return dialectTable.List(cmd.OutOrStdout(), *format, sim.Dialects())
		},
	}
}

func newDialectShowCommand(format *output.Format) *cobra.Command {
	var conn connect.Cloud
	var config bool
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Show how a client is configured for a dialect, its variants and operations", Args: usage.ExactArgs(1), ValidArgsFunction: usage.InTurn(completeDialects),
		Long: `Show how a client is configured for a dialect, its variants and operations.

A variant is something that the documents of the other cloud leave open. The first of its
values holds, unless "simcloud config set --dialect-variant" chooses another one.

In the values {endpoint} is the URL of the cloud, as "simcloud serve" and "simcloud up"
print it, and {token} is the secret of a token of the cloud. With --config only the
configuration file is printed, for the cloud that runs.`,
		Example: "  simcloud dialect show hcloud\n  simcloud dialect show hcloud -o yaml\n  simcloud dialect show openstack --config > cloud.conf",
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := dialectOf(args[0])
			if err != nil {
				return err
			}
			if !config {
				return printDialect(cmd.OutOrStdout(), *format, d)
			}
			endpoint, token, err := conn.Credentials(cmd)
			if err != nil {
				return err
			}
			return printDialectConfig(cmd.OutOrStdout(), d, endpoint, token)
		},
	}
	cmd.Flags().BoolVar(&config, "config", false, "only the configuration file of the cloud's CCM, with the URL and the token of the cloud that runs")
	conn.AddFlags(cmd)
	return cmd
}

// printDialectConfig prints the configuration files of a dialect for a cloud: they work as they are.
func printDialectConfig(w io.Writer, d dialect.Dialect, endpoint, token string) error {
	if len(d.Files) == 0 {
		return exit.Usage(fmt.Errorf("--config: clients of %s read no configuration file: \"simcloud dialect show %s\" has their variables", d.Name, d.Name))
	}
	filled := strings.NewReplacer("{endpoint}", endpoint, "{token}", token)
	for _, f := range d.Files {
		if err := printFile(w, filled.Replace(f.Content)); err != nil {
			return err
		}
	}
	return nil
}

// printFile prints a text line by line.
func printFile(w io.Writer, text string) error {
	for line := range strings.Lines(text) {
		if err := output.PrintLine(w, strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
	}
	return nil
}

func printDialect(w io.Writer, format output.Format, d dialect.Dialect) error {
	if format.IsDocument() {
		return output.Document(w, format, d)
	}
	if err := variableTable.List(w, format, d.Environment); err != nil {
		return err
	}
	for _, f := range d.Files {
		if err := printFile(w, "\n# "+f.Name+": "+f.Purpose+"\n"+f.Content); err != nil {
			return err
		}
	}
	if err := output.PrintLine(w, ""); err != nil {
		return err
	}
	if len(d.Variants) > 0 {
		if err := variantTable.List(w, format, d.Variants); err != nil {
			return err
		}
		if err := output.PrintLine(w, ""); err != nil {
			return err
		}
	}
	return dialectOperationTable.List(w, format, d.Operations)
}

func newDialectMissingCommand(format *output.Format) *cobra.Command {
	return &cobra.Command{
		Use: "missing [NAME]", Short: "Show the operations of dialects that are not simulated", Args: usage.AtMostOneArg, ValidArgsFunction: usage.InTurn(completeDialects),
		Example: "  simcloud dialect missing\n  simcloud dialect missing hcloud -o json",
		RunE: func(cmd *cobra.Command, args []string) error {
			var missing []dialect.Operation
			for _, d := range sim.Dialects() {
				if len(args) == 0 || d.Name == args[0] {
					missing = append(missing, d.Missing()...)
				}
			}
			if len(args) == 1 {
				if _, err := dialectOf(args[0]); err != nil {
					return err
				}
			}
			return dialectOperationTable.List(cmd.OutOrStdout(), *format, missing)
		},
	}
}

func dialectOf(name string) (dialect.Dialect, error) {
	all := sim.Dialects()
	i := slices.IndexFunc(all, func(d dialect.Dialect) bool { return d.Name == name })
	if i < 0 {
		return dialect.Dialect{}, exit.Usage(fmt.Errorf("dialect %q not found (have %s)", name, strings.Join(dialectNames(), ", ")))
	}
	return all[i], nil
}

func dialectNames() []string {
	var names []string
	for _, d := range sim.Dialects() {
		names = append(names, d.Name)
	}
	return names
}

func completeDialects(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return dialectNames(), cobra.ShellCompDirectiveNoFileComp
}
