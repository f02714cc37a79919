package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/simcloud/console"
)

// printSummary says what runs and how to use it.
func printSummary(out io.Writer, s sandbox.State) {
	flag := ""
	if s.Name != sandbox.Default {
		flag = " --sandbox " + s.Name
	}
	fmt.Fprintf(out, "The sandbox %s is ready.\n", s.Name)
	fmt.Fprintf(out, "  cloud       %s\n", s.Endpoint)
	fmt.Fprintf(out, "  console     %s\n", consoleOf(s, output.IsTerminal(out)))
	fmt.Fprintf(out, "  cluster     %s\n", s.Kubeconfig)
	fmt.Fprintf(out, "  CCM         %s\n", s.CCM.Name)
	if s.CCM.Name == "none" {
		fmt.Fprintf(out, "    run yours with --kubeconfig=%s\n    and, if it is simcloud-ccm, with --cloud-config=%s\n", s.CCM.Kubeconfig, s.CCM.CloudConfig)
	}
	fmt.Fprintf(out, "Use it:\n  eval \"$(simcloud env%s)\"\n  kubectl get nodes\n  simcloud instance list\n", flag)
	if s.PID == os.Getpid() {
		fmt.Fprintln(out, "Ctrl-C ends it.")
		return
	}
	fmt.Fprintf(out, "End it with: simcloud down%s\n", flag)
}

// consoleOf is where the console of a sandbox is: on a terminal, as a link that logs in. Elsewhere the text may end up
// in the log of a CI job, where no token belongs.
func consoleOf(s sandbox.State, terminal bool) string {
	if terminal {
		if secret, err := os.ReadFile(s.TokenFile); err == nil {
			return console.Link(s.Endpoint, strings.TrimSpace(string(secret)))
		}
	}
	command := "simcloud console"
	if s.Name != sandbox.Default {
		command += " --sandbox " + s.Name
	}
	return fmt.Sprintf("%s (%q prints a link that logs in)", console.Link(s.Endpoint, ""), command)
}
