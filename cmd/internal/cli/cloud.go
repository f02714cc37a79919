package cli

import "github.com/spf13/cobra"

// cloudCommands are the commands that serve a cloud, and those that look at a cloud as a whole or change how it behaves.
func cloudCommands() []*cobra.Command {
	return []*cobra.Command{
		newServeCommand(), newCheckCommand(), newSnapshotCommand(), newConfigCommand(), newJournalCommand(), newEventsCommand(),
		newClockCommand(), newResetCommand(), newSeedCommand(), newStateCommand(), newFaultCommand(),
	}
}
