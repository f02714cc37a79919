// Package cloud has the commands that serve a cloud, and those about a cloud as a whole: its clock, faults, journal,
// events, snapshots, state and configuration.
package cloud

import "github.com/spf13/cobra"

// Commands are the commands that serve a cloud, and those that look at a cloud as a whole or change how it behaves.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		newServeCommand(), newCheckCommand(), newSnapshotCommand(), newConfigCommand(), newJournalCommand(), newEventsCommand(),
		newClockCommand(), newResetCommand(), newSeedCommand(), newTopologyCommand(), newStateCommand(), newFaultCommand(), newDialectCommand(), newConsoleCommand(),
		newTopCommand(),
	}
}
