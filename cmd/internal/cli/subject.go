package cli

import (
	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/e2e/subject"
)

// subjectState is a subject as the commands show it.
type subjectState struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
	Built   bool   `json:"built"`
	// Path is where the program is, or will be once it is built.
	Path string `json:"path"`
}

func subjectStateOf(s subject.Subject) subjectState {
	path, built := s.Built()
	return subjectState{Name: s.Name, Title: s.Title, Version: s.Version, Built: built, Path: path}
}

var subjectTable = output.Table[subjectState]{
	output.Col("NAME", func(s subjectState) string { return s.Name }),
	output.Col("VERSION", func(s subjectState) string { return s.Version }),
	output.Col("BUILT", func(s subjectState) string { return yesCell(s.Built) }),
	output.Col("TITLE", func(s subjectState) string { return s.Title }),
	output.WideCol("PATH", func(s subjectState) string { return s.Path }),
}

func newSubjectCommand() *cobra.Command {
	var out output.Format
	cmd := &cobra.Command{
		Use: "subject", Aliases: []string{"subjects"}, Short: "Manage the cloud controller managers of clouds that can be built here",
		Long: `Manage the cloud controller managers of clouds that can be built here.

Each is built from its published sources, of a pinned version with pinned sums,
and kept in the cache, ~/.cache/simcloud. The profile of its name runs it:
"simcloud test --profile aws".`,
		Args: usage.KnownCommand, RunE: usage.ShowHelp,
		Example: "  simcloud subject list\n  simcloud subject build aws",
	}
	out.AddFlag(cmd)
	cmd.AddCommand(newSubjectBuildCommand(&out), newSubjectListCommand(&out))
	return cmd
}

func newSubjectListCommand(format *output.Format) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List subjects, and whether they are built", Args: usage.NoArgs,
		Example: "  simcloud subject list\n  simcloud subject list -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all []subjectState
			for _, s := range subject.All() {
				all = append(all, subjectStateOf(s))
			}
			return subjectTable.List(cmd.OutOrStdout(), *format, all)
		},
	}
}

func newSubjectBuildCommand(format *output.Format) *cobra.Command {
	return &cobra.Command{
		Use: "build NAME", Short: "Build a subject, unless it is built already, and print its path",
		Long: `Build a subject, unless it is built already, and print its path.

It takes the go command and, the first time, Go's module proxy and some minutes.
With -o json, yaml, wide or name it prints the subject in place of the path.`,
		Args: usage.ExactArgs(1), ValidArgsFunction: usage.InTurn(completeSubjects),
		Example: "  simcloud subject build aws\n  simcloud subject build aws -o json",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := subject.Find(args[0])
			if err != nil {
				return exit.Usage(err)
			}
			path, err := s.Build(cmd.Context(), output.Printer(cmd.ErrOrStderr()))
			if err != nil {
				return err
			}
			if *format == output.FormatTable {
				return output.PrintLine(cmd.OutOrStdout(), path)
			}
			return subjectTable.One(cmd.OutOrStdout(), *format, subjectStateOf(s))
		},
	}
}

func completeSubjects(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return subject.Names(), cobra.ShellCompDirectiveNoFileComp
}
