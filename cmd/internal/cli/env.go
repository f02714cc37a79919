package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
)

// formatShell is the --output of "simcloud env" that a shell reads.
const formatShell = "shell"

func newEnvCommand(io output.Streams) *cobra.Command {
	var name, format string
	var merge bool
	cmd := &cobra.Command{
		Use:   "env",
		Short: "Print what a shell needs to use a sandbox",
		Long: `Print what a shell needs to use a sandbox: where its cloud and its cluster are.
Without a kubectl in PATH, PATH gets a folder that has one.

With --merge-kubeconfig it prints no variables: it adds the cluster to your kubeconfig,
the first file in KUBECONFIG or else ~/.kube/config, as the context simcloud-NAME, and
makes that the current one. "simcloud down" takes it out again.`,
		Example: "  eval \"$(simcloud env)\"\n  simcloud env --merge-kubeconfig",
		Args:    usage.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			state, err := readySandbox(name)
			if err != nil {
				return err
			}
			if merge {
				return mergeKubeconfig(io.Err, state)
			}
			return printEnv(io.Out, format, environmentOf(state))
		},
	}
	usage.SandboxFlag(cmd, &name, "name of the sandbox (default: the one that runs)", sandboxNames)
	usage.ChoiceFlag(cmd, &format, "output", "o", "format: shell or json", formatShell, output.FormatJSON)
	cmd.Flags().BoolVar(&merge, "merge-kubeconfig", false, "context for the cluster in your kubeconfig, in place of variables")
	return cmd
}

// variable is an environment variable.
type variable struct{ name, value string }

func environmentOf(s sandbox.State) []variable {
	vars := []variable{
		{"SIMCLOUD_SANDBOX", s.Name},
		{"SIMCLOUD_ENDPOINT", s.Endpoint},
		{"SIMCLOUD_TOKEN_FILE", s.TokenFile},
		{"KUBECONFIG", s.Kubeconfig},
	}
	if s.Path != "" {
		vars = append(vars, variable{"PATH", withFolder(os.Getenv("PATH"), s.Path)})
	}
	return vars
}

// withFolder puts a folder in front of a PATH, once.
func withFolder(path, folder string) string {
	for _, entry := range strings.Split(path, string(os.PathListSeparator)) {
		if entry == folder {
			return path
		}
	}
	return folder + string(os.PathListSeparator) + path
}

func printEnv(out io.Writer, format string, vars []variable) error {
	if format == formatShell {
		for _, v := range vars {
			fmt.Fprintf(out, "export %s=%s\n", v.name, shellQuote(v.value))
		}
		return nil
	}
	object := map[string]string{}
	for _, v := range vars {
		object[v.name] = v.value
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(object)
}

// shellQuote quotes a word for any POSIX shell.
func shellQuote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
