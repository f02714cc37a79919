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

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

func newLogsCommand(io stdio) *cobra.Command {
	var name string
	var follow bool
	cmd := &cobra.Command{
		Use:   "logs [COMPONENT]",
		Short: "Print the log of a part of a sandbox",
		Long: `Print the log of a part of a sandbox: simcloud (the cloud and the machines; the
default), ccm, kube-apiserver, etcd, node-1 and so on. An unknown one gets the list.
On a terminal, control characters are shown as escapes such as \x1b; a pipe or a
file gets the log as it is.`,
		Example: "  simcloud logs ccm -f",
		Args:    atMostOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := findLeft(name)
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
			return printLog(cmd.Context(), io, &follower{path: path}, follow)
		},
	}
	cmd.Flags().StringVar(&name, "name", os.Getenv("SIMCLOUD_SANDBOX"), "name of the sandbox, which need not run (default: the one that runs)")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what is written later, until Ctrl-C")
	return cmd
}

func printLog(ctx context.Context, out stdio, log *follower, follow bool) error {
	to, done := out.out, func() error { return nil }
	if file, ok := out.out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		shown := escape.NewWriter(out.out)
		to, done = shown, shown.Close
	}
	err := poll(ctx, func() (bool, error) { return !follow, log.copy(to) })
	err = errors.Join(err, done())
	if follow && errors.Is(err, context.Canceled) {
		return nil // Ctrl-C is how to end it
	}
	return err
}

// logOf returns the path of a component's log.
func logOf(s sandbox, component string) (string, error) {
	logs, err := logsOf(s)
	if err != nil {
		return "", err
	}
	if path, ok := logs[component]; ok {
		return path, nil
	}
	var names []string
	for name := range logs {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "", environmentError(fmt.Errorf("the sandbox %s has no logs: start it with \"simcloud up\"", s.name))
	}
	return "", usageError(fmt.Errorf("there is no log of %q in the sandbox %s; there are: %s", component, s.name, strings.Join(names, ", ")))
}

// logsOf returns the paths of all logs, by component.
func logsOf(s sandbox) (map[string]string, error) {
	logs := map[string]string{}
	for _, dir := range s.logDirs() {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, environmentError(err)
		}
		for _, entry := range entries {
			if name, ok := strings.CutSuffix(entry.Name(), ".log"); ok {
				logs[name] = filepath.Join(dir, entry.Name())
			}
		}
	}
	return logs, nil
}
