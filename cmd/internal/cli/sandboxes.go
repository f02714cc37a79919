package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/e2e/machine"
)

var sandboxTable = output.Table[sandbox.State]{
	output.Col("NAME", func(s sandbox.State) string { return s.Name }),
	output.Col("PHASE", func(s sandbox.State) string { return s.Phase }),
	output.Col("AGE", func(s sandbox.State) string { return sandboxAge(s, time.Now()) }),
	output.Col("ENDPOINT", func(s sandbox.State) string { return s.Endpoint }),
	output.Col("NODES", nodesCell),
	output.Col("CCM", func(s sandbox.State) string { return describeCCM(s.CCM) }),
	output.WideCol("BACKEND", func(s sandbox.State) string { return s.Backend }),
	output.WideCol("KUBECONFIG", func(s sandbox.State) string { return s.Kubeconfig }),
}

func newSandboxCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "sandbox", Aliases: []string{"sandboxes"}, Short: "List the sandboxes of this machine", Args: usage.KnownCommand, RunE: usage.ShowHelp,
	}
	cmd.AddCommand(newSandboxListCommand())
	return cmd
}

func newSandboxListCommand() *cobra.Command {
	var out output.Format
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls", "ps"}, Short: "List sandboxes, also those that crashed", Args: usage.NoArgs,
		Example: "  simcloud sandbox list\n  simcloud sandbox list -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			states, err := sandboxStates()
			if err != nil {
				return err
			}
			return sandboxTable.ListOr(cmd.OutOrStdout(), cmd.ErrOrStderr(), out, states, "No sandboxes: start one with \"simcloud up\".")
		},
	}
	out.AddFlag(cmd)
	return cmd
}

// sandboxStates are those of all sandboxes. One that has written none is starting, or failed to start.
func sandboxStates() ([]sandbox.State, error) {
	all, err := sandbox.All()
	if err != nil {
		return nil, err
	}
	var states []sandbox.State
	for _, s := range all {
		state, err := s.ReadState()
		if err != nil {
			state = sandbox.State{Name: s.Name, Phase: sandbox.PhaseCrashed}
			if s.Running() {
				state.Phase = sandbox.PhaseStarting
			}
		}
		states = append(states, state)
	}
	return states, nil
}

func sandboxAge(s sandbox.State, now time.Time) string {
	if s.Started.IsZero() {
		return ""
	}
	return duration.HumanDuration(now.Sub(s.Started))
}

// nodesCell is how many machines run of those that there are.
func nodesCell(s sandbox.State) string {
	running := 0
	for _, m := range s.Machines {
		if m.State == machine.Running {
			running++
		}
	}
	return fmt.Sprintf("%d/%d", running, len(s.Machines))
}

// sandboxNames are those of all sandboxes, for completion: it has no place for an error.
func sandboxNames() []string {
	all, _ := sandbox.All()
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}
