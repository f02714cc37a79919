package cloud

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/resource"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

var clockTable = output.Table[simcloud.ClockStatus]{
	output.Col("MODE", func(c simcloud.ClockStatus) string { return clockMode(c.ClockSpec) }),
	output.Col("NOW", func(c simcloud.ClockStatus) string { return c.Now.UTC().Format(time.RFC3339Nano) }),
}

// offsetColumn is how far a clock is from that of the machine.
var offsetColumn = output.Col("OFFSET", func(c simcloud.ClockStatus) string { return offsetText(offsetOf(c)) })

// offsetOf is the offset of a clock in whole seconds: what is less is the time that reading it takes.
func offsetOf(c simcloud.ClockStatus) time.Duration {
	return time.Duration(c.Offset).Truncate(time.Second)
}

// offsetText has the sign of an offset, also of one ahead.
func offsetText(offset time.Duration) string {
	if offset > 0 {
		return "+" + offset.String()
	}
	return offset.String()
}

// printClock prints how a clock runs, and its offset where there is one.
func printClock(out io.Writer, f output.Format, status simcloud.ClockStatus) error {
	if offsetOf(status) == 0 {
		return clockTable.One(out, f, status)
	}
	return append(slices.Clone(clockTable), offsetColumn).One(out, f, status)
}

func newClockCommand() *cobra.Command {
	var s connect.Session
	return s.Command(&cobra.Command{Use: "clock", Short: "Manage the cloud's clock", Args: usage.KnownCommand, RunE: usage.ShowHelp},
		newClockGetCommand(&s), newClockSetCommand(&s), newClockAdvanceCommand(&s))
}

func newClockGetCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "get", Short: "Show the clock's mode and time", Args: usage.NoArgs,
		Example: "  simcloud clock get\n  simcloud clock get -o json",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			status, err := c.GetClock(ctx)
			if err != nil {
				return err
			}
			return printClock(out, s.Out, status)
		}),
	}
}

func newClockSetCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "set MODE", Short: "Set the mode of the clock: real, manual, or a factor such as 60x", Args: usage.ExactArgs(1),
		ValidArgsFunction: usage.InTurn(cobra.FixedCompletions([]string{string(simcloud.ClockReal), string(simcloud.ClockManual), "10x", "60x"}, cobra.ShellCompDirectiveNoFileComp)),
		Example:           "  simcloud clock set manual\n  simcloud clock set 60x",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			spec, err := parseClock(args[0])
			if err != nil {
				return exit.Usage(err)
			}
			status, err := c.SetClock(ctx, spec)
			if err != nil {
				return err
			}
			return printClock(out, s.Out, status)
		}),
	}
}

func newClockAdvanceCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "advance DURATION", Short: "Advance a manual clock, and show the operations that this has completed", Args: usage.ExactArgs(1),
		Example: "  simcloud clock advance 30s",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			by, err := time.ParseDuration(args[0])
			if err != nil {
				return exit.Usage(fmt.Errorf("%q is not a duration such as 500ms, 30s or 1m30s", args[0]))
			}
			advance, err := c.AdvanceClock(ctx, simcloud.Duration(by))
			if err != nil {
				return err
			}
			return printAdvance(out, s.Out, advance)
		}),
	}
}

func printAdvance(out io.Writer, f output.Format, advance simcloud.ClockAdvance) error {
	if f.IsDocument() {
		return output.Document(out, f, advance)
	}
	if f != output.FormatName {
		operations := "operations"
		if len(advance.Fired) == 1 {
			operations = "operation"
		}
		fmt.Fprintf(out, "%s: %d %s done\n", advance.Now.UTC().Format(time.RFC3339Nano), len(advance.Fired), operations)
	}
	if len(advance.Fired) == 0 {
		return nil
	}
	return resource.OperationTable.List(out, f, advance.Fired)
}

// parseClock reads "real", "manual" or a factor such as "60x".
func parseClock(text string) (simcloud.ClockSpec, error) {
	spec := simcloud.ClockSpec{Mode: simcloud.ClockMode(text)}
	if factor, ok := strings.CutSuffix(text, "x"); ok {
		n, err := strconv.ParseFloat(factor, 64)
		if err == nil {
			spec = simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: n}
		}
	}
	if spec.Validate() != nil {
		return simcloud.ClockSpec{}, fmt.Errorf("%q is not real, manual, or a factor such as 60x", text)
	}
	return spec, nil
}

// clockMode is the text that parseClock reads.
func clockMode(spec simcloud.ClockSpec) string {
	if spec.Mode == simcloud.ClockScaled {
		return strconv.FormatFloat(spec.Factor, 'g', -1, 64) + "x"
	}
	return string(spec.Mode)
}
