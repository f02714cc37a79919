package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/simulation"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// testOptions are the flags of test.
type testOptions struct {
	capabilities string
	declared     scenarios.CapabilitySet // nil: everything, or what the profile says
	knownFile    string
	selector     string
	ccm          string
	report       string
	summary      string
	parallel     int
	seed         uint64
	repeat       int
	retries      int
	shard        string
	set          []string
	timeout      time.Duration
	pause        bool
	failFast     bool
	strict       bool
	keep         bool
	verbose      bool
	format       string
	output       string
	fallback     string
	backend      backendOptions

	again []string // flags without which a scenario would not run in the same way
}

// defaultParallel is how many clusters run at a time: each takes about 1.2 GB,
// which a laptop has twice, and mostly waits, so that two cores bear one more.
const defaultParallel = 2

// maxRetries is how often a scenario that failed may be run again: what fails more often is no flake.
const maxRetries = 5

// maxParallel is how many a machine can be asked for.
const maxParallel = 64

func newTestCommand(io output.Streams) *cobra.Command {
	var o testOptions
	cmd := &cobra.Command{
		Use:   "test [PATH...]",
		Short: "Test a cloud controller manager with scenarios",
		Long: `Test a cloud controller manager with scenarios: those of the files and folders
given, or without any those that simcloud includes. Each runs on an empty
cluster whose cloud is simulated.

--ccm is the cloud controller manager under test: a command whose arguments may
have placeholders (see "simcloud up --help"), or none.

A scenario that sets simcloud-ccm's own cloud config is skipped for another
cloud controller manager.

A scenario with a matrix is one for each combination of its values, which are
labels too: -l name=lb-retry,code=locked. --shard 2/5 runs the second of five
parts of the scenarios: every fifth one in the order of their names, so that the
parts take about as long, and the same ones each time.

--known-failures names scenarios that the cloud controller manager is known to fail,
each with its issue, as the profile can too (docs/testing-your-ccm.md). Such a failure
is reported as a known failure, does not run again, and is no failure of the run;
one that passes all the same is reported, so that it can be taken off the list.

A scenario is invalid when its file is wrong, such as a step that the cluster or the
cloud refuses as malformed: that says nothing about the cloud controller manager.

A scenario is undecided when it failed after the cloud controller manager had asked for
what simcloud does not simulate: that may not be its fault. With --strict it counts as
one that failed.

--format github folds the log of each scenario in GitHub Actions, and marks failures in
the scenario files of the repository. -o json writes an event a line to the standard
output, as "go test -json" does, and the progress to the standard error (docs/ci.md).

The exit code is 0 when all passed, were skipped, are undecided or known failures, 1 when one
failed or the time of --timeout was over, 2 when the input cannot be used or a scenario
is invalid, 3 when the environment failed, such as a cluster that does not start, and
130 when it was interrupted. Of several, the first of 130, 3, 1 and 2 counts, so that
an invalid scenario hides no failure.`,
		Example: `  simcloud test
  simcloud test -l tier=core --report out/
  simcloud test -l tier=conformance,clause=S15
  simcloud test -l name=lb-provisioning --repeat 20 --fail-fast
  simcloud test my-scenarios/lb.yaml --set port=8080 --pause-on-failure
  simcloud test -l tier=core -o json
  simcloud test --backend kind -l "tier in (core,data)"
  simcloud test my-scenarios/ --ccm "./my-ccm --kubeconfig={kubeconfig} --secure-port={secure-port}"`,
		ValidArgsFunction: completeYAML,
		RunE: func(cmd *cobra.Command, paths []string) error {
			return runTest(cmd, io, o, paths)
		},
	}
	o.addRunFlags(cmd)
	cmd.Flags().IntVar(&o.repeat, "repeat", 1, "number of times that each scenario runs; each time has the next seed")
	cmd.Flags().StringArrayVar(&o.set, "set", nil, "value for a parameter, or for a name of a matrix: name=value; can be repeated")
	return cmd
}

func runTest(cmd *cobra.Command, io output.Streams, o testOptions, paths []string) error {
	ctx, cancel := o.limited(cmd.Context())
	defer cancel()
	if err := o.check(cmd); err != nil {
		return err
	}
	all, err := selectScenarios(ctx, o, paths)
	if err != nil {
		return err
	}
	s, err := o.session(ctx, io, paths, len(all)*o.repeat)
	if err != nil {
		return err
	}
	defer s.end()
	s.runner.Repeat = o.repeat
	report, err := s.runner.Run(ctx, all)
	o.stamp(cmd, &report)
	err = s.tell.end(report, reports.Summary(report), o.verdict(ctx, report, err))
	return errors.Join(err, writeReport(o, report), s.clusters.remove(io))
}

// declare reads what the cloud controller manager can do.
func (o *testOptions) declare() error {
	o.declared = o.backend.profile.Capabilities
	defer o.declareSimulated()
	if o.capabilities == "" {
		return nil
	}
	declared, err := syntax.LoadCapabilities(o.capabilities)
	if err != nil {
		return exit.Usage(fmt.Errorf("--capabilities: %w", err))
	}
	o.declared = declared
	return nil
}

// declareSimulated takes away what no cloud controller manager can do in simulated time.
func (o *testOptions) declareSimulated() {
	if o.backend.backend != backendSimulated {
		return
	}
	o.declared = simulation.Able(o.declared)
}

// judged is what is known of the cloud controller manager under test.
func (o testOptions) judged() profile.Profile {
	p := o.backend.profile
	p.Capabilities = o.declared
	return p
}

// verdict turns the end of a run into the error that it ends with.
func (o testOptions) verdict(ctx context.Context, report scenarios.Report, err error) error {
	failed, invalid, undecided := report.Count(scenarios.Failed), report.Count(scenarios.Invalid), 0
	if o.strict {
		undecided = report.Count(scenarios.Undecided)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && simcloud.CodeOf(err) == simcloud.Invalid:
		return err
	case err != nil:
		return exit.Environment(err)
	case failed+undecided > 0:
		text := fmt.Sprintf("%d of %d scenarios failed", failed, len(report.Scenarios))
		if undecided > 0 {
			text += fmt.Sprintf(", and %d are undecided, which --strict counts as failures", undecided)
		}
		if invalid > 0 {
			text += fmt.Sprintf(", and %d are invalid", invalid)
		}
		return &exit.Error{Code: exit.CodeFailed, Err: errors.New(text)}
	case invalid > 0:
		return exit.Usage(fmt.Errorf("%d of %d scenarios are invalid: correct their files", invalid, len(report.Scenarios)))
	}
	return nil
}

// prepareReport finds out before anything runs whether the report can be written.
func prepareReport(dir string) error {
	if dir == "" {
		return nil
	}
	return prepareFolder("--report", dir)
}

// prepareFolder makes the folder of a flag, and finds out whether it can be written.
func prepareFolder(flag, dir string) error {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".probe-"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return exit.Usage(fmt.Errorf("%s %q is not a folder that can be written: %w", flag, dir, err))
	}
	return nil
}

// prepareSummary does the same for the summary.
func prepareSummary(file string) error {
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return exit.Usage(fmt.Errorf("--summary %q is not a file that can be written: %w", file, err))
	}
	return nil
}

// writeReport writes the report to where it was asked for, if anywhere.
func writeReport(o testOptions, report scenarios.Report) error {
	var errs []error
	if o.report != "" {
		errs = append(errs, reports.Write(o.report, report))
	}
	if o.summary != "" {
		errs = append(errs, reports.AppendSummary(o.summary, report))
	}
	if err := errors.Join(errs...); err != nil {
		return exit.Environment(err)
	}
	return nil
}

// testClusters starts the clusters of a run, each in a folder of its own.
type testClusters struct {
	options testOptions
	subject manager.CCMSpec
	backend backend
	folder  runFolder
	waiting func(line string) // is told when a cluster waits for a slot of the machine
}

// remove deletes the folders, or says where they are.
func (c testClusters) remove(io output.Streams) error {
	end := c.folder.remove
	if c.options.keep {
		fmt.Fprintf(io.Err, "the folders of the clusters are in %s\n", c.folder.path)
		end = c.folder.keep
	}
	if err := end(); err != nil {
		return exit.Environment(err)
	}
	return nil
}
