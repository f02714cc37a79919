package main

import (
	"io"

	"github.com/spf13/cobra"
)

// stdio is where a command reads and writes.
type stdio struct {
	in  io.Reader
	out io.Writer // what was asked for: tables, JSON, the ready line
	err io.Writer // progress and errors
}

func newRootCommand(io stdio) *cobra.Command {
	root := &cobra.Command{
		Use:           "simcloud",
		Short:         "A cloud simulator and a test harness for Kubernetes cloud controller managers",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError(err) })
	root.AddCommand(newKubeCommand())
	root.AddCommand(newUpCommand(io), newDownCommand(io), newStatusCommand(io), newEnvCommand(io), newLogsCommand(io))
	root.AddCommand(newTestCommand(io), newLintCommand())
	return root
}
