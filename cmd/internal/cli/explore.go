package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/explore"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// exploreOptions are the flags of explore.
type exploreOptions struct {
	test    testOptions // what the clusters are made with
	time    time.Duration
	history int
	out     string
	reruns  int
	areas   []string
}

func newExploreCommand(io output.Streams) *cobra.Command {
	var o exploreOptions
	cmd := &cobra.Command{
		Use:   "explore",
		Short: "Search random histories for what breaks a cloud controller manager",
		Long: `Look for what breaks a cloud controller manager: random but legal histories of
cloud operations, changes of the cluster, faults, and deaths of the cloud
controller manager run under all oracles, and when all faults are over everything
must be as it should be. A history that violates that is shrunk to a minimal one,
which is written as a scenario file: "simcloud test FILE" shows it again.

The same seed makes the same histories, and --history runs one of them. The exit code is 0 when nothing was found
in the time, or only flaky violations, 1 when a violation was, 2 when the
input cannot be used, 3 when the environment failed, such as a cluster that does not
start, and 130 when it was interrupted.`,
		Example: `  simcloud explore --time 10m
  simcloud explore --seed 7 --history 8
  simcloud explore --seed 7 --areas node,lifecycle --ccm "./my-ccm --kubeconfig={kubeconfig} --secure-port={secure-port}"`,
		Args: usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runExplore(cmd, io, o) },
	}
	o.test.addClusterFlags(cmd)
	describe(cmd, "seed", "seed of the histories, ids and addresses")
	describe(cmd, "ccm", "cloud controller manager: a command (default: simcloud-ccm)")
	f := cmd.Flags()
	f.IntVar(&o.history, "history", 0, "number of the only history that runs, from 1 (default: one after the other)")
	f.DurationVar(&o.time, "time", explore.DefaultTime, "time in which new histories begin; to shrink a violation takes longer")
	f.StringVar(&o.out, "out", ".", "folder for the scenario file of a violation, and the schema for editors")
	f.IntVar(&o.reruns, "reruns", explore.DefaultReruns, "maximum number of shorter histories that run to shrink a violation")
	o.test.addFallback(cmd)
	describe(cmd, "fallback", "backend that confirms what was found in simulated time, with --backend simulated: embedded (default: it is not confirmed)")
	f.StringSliceVar(&o.areas, "areas", nil, "only these parts of the work: node, lifecycle, service, route")
	return cmd
}

func runExplore(cmd *cobra.Command, io output.Streams, o exploreOptions) error {
	ctx := cmd.Context()
	o.test.again = againFlags(cmd)
	explorer, err := o.explorer(cmd)
	if err != nil {
		return err
	}
	subject, err := o.test.backend.subject(o.test.ccm)
	if err != nil {
		return err
	}
	if subject.None() {
		return exit.Usage(errors.New("--ccm none: without a cloud controller manager there is nothing to explore"))
	}
	if err := prepareFolder("--out", o.out); err != nil {
		return err
	}
	backend, err := o.test.backend.find(ctx, output.Printer(io.Err))
	if err != nil {
		return err
	}
	folder, err := openRunFolder()
	if err != nil {
		return exit.Environment(err)
	}
	defer context.AfterFunc(ctx, func() { fmt.Fprintln(io.Err, "interrupted: cleaning up, a few seconds") })()
	clusters := testClusters{options: o.test, subject: subject, backend: backend, folder: folder, waiting: output.Printer(io.Err)}
	if err := o.runOn(ctx, &explorer, clusters); err != nil {
		return err
	}
	explorer.Parallel = o.test.backend.clusters(o.test.parallel)
	explorer.Progress = output.Printer(io.Out)
	report, err := explorer.Run(ctx)
	return errors.Join(o.verdict(ctx, io, report, err), clusters.remove(io))
}

// runOn says what runs the histories, and what confirms a violation that was found in simulated time.
func (o *exploreOptions) runOn(ctx context.Context, explorer *explore.Explorer, clusters testClusters) error {
	isolate, confirm, err := clusters.apart(ctx)
	switch {
	case err != nil:
		return err
	case isolate == nil:
		explorer.Runner = explore.OnClusters(clusters.open, o.test.seed)
		return nil
	}
	explorer.Runner = explore.Apart(clusters.open, isolate, o.test.seed)
	if confirm != nil {
		explorer.Confirm = explore.OnClusters(confirm, o.test.seed)
	}
	return nil
}

// explorer checks the flags that say what to explore.
func (o *exploreOptions) explorer(cmd *cobra.Command) (explore.Explorer, error) {
	if err := o.test.check(cmd); err != nil {
		return explore.Explorer{}, err
	}
	switch {
	case o.time <= 0:
		return explore.Explorer{}, exit.Usage(fmt.Errorf("invalid --time %s: must be positive", o.time))
	case o.history < 0 || o.history == 0 && cmd.Flags().Changed("history"):
		return explore.Explorer{}, exit.Usage(fmt.Errorf("invalid --history %d: must be the number of a history, from 1", o.history))
	case o.reruns < 0:
		return explore.Explorer{}, exit.Usage(fmt.Errorf("invalid --reruns %d: must be 0 or more", o.reruns))
	}
	areas, err := explore.ParseAreas(o.areas)
	if err == nil {
		err = explore.CheckAreas(areas, o.test.declared)
	}
	return explore.Explorer{
		Seed: o.test.seed, History: o.history, Time: o.time, Reruns: o.reruns, Areas: areas, Capabilities: o.test.declared,
	}, err
}

// verdict writes what was found, and turns it into the error that the command ends with.
func (o exploreOptions) verdict(ctx context.Context, io output.Streams, report explore.Report, err error) error {
	noun := "histories"
	if report.Histories == 1 {
		noun = "history"
	}
	fmt.Fprintf(io.Out, "\n%d %s in %s, seed %d\n", report.Histories, noun, spent(report.Seconds), o.test.seed)
	for _, v := range slices.Concat(report.Unstable, report.Unconfirmed) {
		path, err := o.write(v)
		if err != nil {
			return err
		}
		fmt.Fprintf(io.Out, "%s: %s\n  %s", o.doubt(v), path, escape.Block(v.Failure.String()))
	}
	if v := report.Violation; v != nil {
		path, err := o.write(v)
		if err != nil {
			return err
		}
		fmt.Fprintf(io.Out, "history %d showed it after %s; shrunk from %d steps to %d by %d reruns, after %s\n\n%s\n",
			v.History, spent(v.Found), v.FoundSteps, v.Steps, v.Reruns, spent(v.Shrunk), escape.Block(v.Failure.String()))
		fmt.Fprintf(io.Out, "it is written to %s; to see it again:\n  %s\n", path, o.test.command(path))
		return &exit.Error{Code: exit.CodeFailed, Err: errors.New("the cloud controller manager breaks a promise")}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return exit.Environment(err)
	}
	return nil
}

// doubt says why a violation is not one to rely on.
func (o exploreOptions) doubt(v *explore.Violation) string {
	switch {
	case v.Confirmation == explore.SimulatedOnly:
		return fmt.Sprintf("history %d of seed %d: %s", v.History, o.test.seed, v.Confirmation)
	case v.Interrupted:
		return fmt.Sprintf("history %d of seed %d: seen once, and not run again", v.History, o.test.seed)
	default:
		return fmt.Sprintf("history %d of seed %d: a race, which %d reruns did not show", v.History, o.test.seed, v.Reruns)
	}
}

func spent(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond)
}

func (o exploreOptions) write(v *explore.Violation) (string, error) {
	path := filepath.Join(o.out, v.Name+".yaml")
	if err := scenarios.WriteFile(path, v.Text); err != nil {
		return "", exit.Environment(fmt.Errorf("write the scenario: %w", err))
	}
	return path, nil
}
