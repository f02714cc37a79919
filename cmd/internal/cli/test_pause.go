package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

// checkPause lets one cluster at a time wait for a human, who could not tell
// which of several it is that Enter is meant for.
func (o *testOptions) checkPause(cmd *cobra.Command) error {
	switch {
	case !o.pause:
		return nil
	case usage.Given(cmd, "parallel") && o.parallel != 1:
		return exit.Usage(fmt.Errorf("--pause-on-failure goes with --parallel 1, and not with %d", o.parallel))
	}
	o.parallel = 1
	return nil
}

// pauser waits at each failure until Enter is pressed, or ctx ends; nil when no one wants to look.
func (o testOptions) pauser(streams output.Streams, reporter report.Reporter) func(context.Context, scenariorun.Pause) {
	if !o.pause {
		return nil
	}
	var lines chan struct{}
	return func(ctx context.Context, p scenariorun.Pause) {
		reporter.Note(p.Slot, howToLook(p))
		if lines == nil {
			lines = make(chan struct{})
			go readLines(streams.In, lines) // until the input ends, or this process
		}
		select {
		case _, open := <-lines:
			if !open {
				reporter.Note(p.Slot, "the standard input has ended, so no one can press Enter: going on")
			}
		case <-ctx.Done():
		}
	}
}

// readLines tells of each line, and ends with the input.
func readLines(in io.Reader, lines chan<- struct{}) {
	defer close(lines)
	for scan := bufio.NewScanner(in); scan.Scan(); {
		lines <- struct{}{}
	}
}

// howToLook says what has failed, and how to look at everything.
func howToLook(p scenariorun.Pause) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s has failed, and everything is as it was then.\n\n%s\n", p.Scenario.Name, p.Failure)
	fmt.Fprintf(&b, "In another terminal:\n\n")
	for _, v := range []variable{
		{"KUBECONFIG", p.Access.Kubeconfig}, {"SIMCLOUD_ENDPOINT", p.Access.CloudURL}, {"SIMCLOUD_TOKEN_FILE", p.Access.TokenFile},
	} {
		fmt.Fprintf(&b, "  export %s=%s\n", v.name, shellQuote(v.value))
	}
	fmt.Fprintf(&b, "  kubectl get nodes; kubectl --namespace %s get services,events\n", p.Namespace)
	fmt.Fprintf(&b, "  simcloud state; simcloud journal\n  less %s\n\n", shellQuote(p.Access.CCMLog))
	b.WriteString("Enter cleans up and goes on; Ctrl-C ends the run.")
	return b.String()
}
