package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

func newLogsCommand(io output.Streams) *cobra.Command {
	var name string
	var follow bool
	part := logPart{}
	cmd := &cobra.Command{
		Use:   "logs [COMPONENT]",
		Short: "Print the log of a part of a sandbox",
		Long: `Print the log of a part of a sandbox: simcloud (the cloud and the machines; the
default), ccm, kube-apiserver, etcd, node-1 and so on. An unknown one gets the list.
On a terminal, control characters are shown as escapes such as \x1b; a pipe or a
file gets the log as it is.`,
		Example: "  simcloud logs ccm\n  simcloud logs ccm -f --tail 20\n  simcloud logs node-1 --since 5m",
		Args:    usage.AtMostOneArg,
		ValidArgsFunction: usage.InTurn(func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			s, err := sandbox.FindLeft(name)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			logs, _ := logsOf(s) // no one reads an error between two keys
			return componentsOf(logs), cobra.ShellCompDirectiveNoFileComp
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := sandbox.FindLeft(name)
			if err != nil {
				return err
			}
			component := "simcloud"
			if len(args) == 1 {
				component = args[0]
			}
			path, err := logOf(s, component)
			if err != nil {
				return err
			}
			if part.since < 0 {
				return exit.Usage(fmt.Errorf("invalid --since %s: must not be negative", part.since))
			}
			from, err := part.start(path, time.Now())
			if err != nil {
				return exit.Environment(err)
			}
			return printLog(cmd.Context(), io, &follower{path: path, offset: from}, follow)
		},
	}
	usage.SandboxFlag(cmd, &name, "name of the sandbox, which need not run (default: the one that runs)", sandboxNames)
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "stream of what is written later, until Ctrl-C")
	cmd.Flags().IntVar(&part.tail, "tail", -1, "number of lines from the end; all with -1")
	cmd.Flags().DurationVar(&part.since, "since", 0, "age of the oldest line, such as 5m (default: any)")
	return cmd
}

func printLog(ctx context.Context, out output.Streams, log *follower, follow bool) error {
	to, done := out.Out, func() error { return nil }
	if file, ok := out.Out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		shown := escape.NewWriter(out.Out)
		to, done = shown, shown.Close
	}
	err := sandbox.Poll(ctx, func() (bool, error) { return !follow, log.copy(to) })
	err = errors.Join(err, done())
	if follow && errors.Is(err, context.Canceled) {
		return nil // Ctrl-C is how to end it
	}
	return err
}

// machineLog is before the name of a machine in the name of its log.
const machineLog = "node-"

// logOf returns the path of a component's log.
func logOf(s sandbox.Folder, component string) (string, error) {
	logs, err := logsOf(s)
	if err != nil {
		return "", err
	}
	for _, name := range []string{component, machineLog + component} {
		if path, ok := logs[name]; ok {
			return path, nil
		}
	}
	names := componentsOf(logs)
	if len(names) == 0 {
		return "", exit.Environment(fmt.Errorf("the sandbox %s has no logs: start it with \"simcloud up\"", s.Name))
	}
	return "", exit.Usage(fmt.Errorf("there is no log of %q in the sandbox %s; there are: %s", component, s.Name, strings.Join(names, ", ")))
}

// logsOf returns the paths of all logs, by component.
func logsOf(s sandbox.Folder) (map[string]string, error) {
	logs := map[string]string{}
	for _, dir := range s.LogDirs() {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, exit.Environment(err)
		}
		for _, entry := range entries {
			if name, ok := strings.CutSuffix(entry.Name(), ".log"); ok {
				logs[name] = filepath.Join(dir, entry.Name())
			}
		}
	}
	return logs, nil
}

// componentsOf are the names of logs, in order: a machine is named as its node is.
func componentsOf(logs map[string]string) []string {
	var names []string
	for name := range logs {
		names = append(names, strings.TrimPrefix(name, machineLog))
	}
	slices.Sort(names)
	return names
}
