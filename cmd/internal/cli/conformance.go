package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/conformance"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

// conformanceOptions are the flags of conformance; those that it has in common with test are test's.
type conformanceOptions struct {
	testOptions
	areas   []string
	shorten int
	confirm int
}

// nonePatience is how long a step waits when there is no CCM: nothing comes.
const nonePatience = 3 * time.Second

func newConformanceCommand(io output.Streams) *cobra.Command {
	var o conformanceOptions
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Run the conformance suite on a cloud controller manager",
		Long: `Run the conformance suite on a cloud controller manager: the clauses of what all must do, in the areas
node, lifecycle, service, route and process (docs/conformance.md). The score is the
clauses that passed of those that apply. Each clause is

  passed, or failed,
  a known failure, when it failed as --known-failures or the profile says: it
  applies, and has not passed,
  not applicable, when the cloud controller manager does not declare a capability
  that the clause needs,
  undecided, when a scenario of it failed after the cloud controller manager had asked
  for what simcloud does not simulate, which is no part of the score either,
  not checked, when its scenarios cannot be run here, or
  not run, when -l or --shard leave out one of its scenarios and no other failed.

--capabilities names the file that declares what the cloud controller manager can do;
"simcloud conformance capabilities -o yaml" writes one. Without it all is declared.

With --report, the folder gets conformance.json, conformance.md and the report of
"simcloud test", and for each failure reproduce/<scenario>.yaml: the scenario without the
steps that the failure does not need, as far as --shorten runs find out. Some failures
come and go: with --confirm each of these files runs again, and the verdict tells how
many of the runs showed the failure. Where the whole scenario shows it more often, the
file has all steps.

The exit code is 0 when all clauses that apply passed or are known failures, 1 when
one failed (or is undecided, with --strict) or the time of --timeout was over, 2 when the input cannot be used, a scenario
is invalid or no clause was judged, 3 when the environment failed, such as a cluster that
does not start, and 130 when it was interrupted. Of several, the first of 130, 3, 1 and 2
counts.

--format github folds the log of each scenario in GitHub Actions and marks what failed. -o
json writes an event a line to the standard output, and the progress and the score to the
standard error (docs/ci.md).`,
		Example: `  simcloud conformance
  simcloud conformance --ccm "./my-ccm --kubeconfig={kubeconfig} --secure-port={secure-port}" --capabilities caps.yaml --report out/
  simcloud conformance -l clause=S15 --retries 1
  simcloud conformance --ccm "CLOUD_URL={endpoint} ./my-ccm {flags}" --areas node,lifecycle`,
		Args: usage.KnownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return runConformance(cmd, io, o) },
	}
	o.addRunFlags(cmd)
	describe(cmd, "report", "folder for the verdict, the report, the scenarios that reproduce failures, and the logs")
	cmd.Flags().StringSliceVar(&o.areas, "areas", nil, "only these areas: "+strings.Join(conformance.Areas(), ", "))
	cmd.Flags().IntVar(&o.shorten, "shorten", 4, "number of times that a failing scenario runs again with fewer steps, with --report; 0 only leaves out what came after the failure")
	cmd.Flags().IntVar(&o.confirm, "confirm", 0, "number of times that what reproduces a failure runs again, with --report, to tell how often it fails")
	cmd.AddCommand(newCapabilitiesCommand())
	return cmd
}

func runConformance(cmd *cobra.Command, io output.Streams, o conformanceOptions) error {
	ctx, cancel := o.limited(cmd.Context())
	defer cancel()
	if err := o.check(cmd); err != nil {
		return err
	}
	all, err := scenariorun.Library()
	if err != nil {
		return exit.Usage(err)
	}
	conformer, err := o.conformer(all)
	if err != nil {
		return err
	}
	s, err := o.session(ctx, io, nil, len(conformer.Select(conformer.Applicable(all))))
	if err != nil {
		return err
	}
	defer s.end()
	conformer.Runner = s.runner
	conformer.Reference, conformer.Flags = o.reference(io, s.clusters), againFlags(cmd)
	found, report, err := o.hurried(conformer, s.clusters.subject).Run(ctx, all)
	o.stamp(cmd, &report)
	found.SkipOracles = report.SkipOracles
	err = s.tell.end(report, conformance.Text(found), o.verdict(ctx, found, report, err))
	return errors.Join(err, o.write(found, report), s.clusters.remove(io))
}

// check finds out what cannot be right before anything is started, and what is declared.
func (o *conformanceOptions) check(cmd *cobra.Command) error {
	if err := o.testOptions.check(cmd); err != nil {
		return err
	}
	if o.shorten < 0 {
		return exit.Usage(fmt.Errorf("invalid --shorten %d: must be 0 or more", o.shorten))
	}
	if o.confirm < 0 {
		return exit.Usage(fmt.Errorf("invalid --confirm %d: must be 0 or more", o.confirm))
	}
	for _, area := range o.areas {
		if !slices.Contains(conformance.Areas(), area) {
			return exit.Usage(fmt.Errorf("--areas: %q is not one of: %s", area, strings.Join(conformance.Areas(), ", ")))
		}
	}
	if o.declared == nil {
		o.declared = scenarios.AllCapabilities()
	}
	return nil
}

// conformer has what does not depend on where it runs. Its selection must leave some of the scenarios that apply.
func (o conformanceOptions) conformer(all []*scenarios.Scenario) (conformance.Conformer, error) {
	c := conformance.Conformer{Capabilities: o.declared, Areas: o.areas, Shorten: o.shorten, Confirm: o.confirm}
	selection, err := o.selection()
	if err != nil {
		return c, err
	}
	applicable := c.Applicable(all)
	if len(applicable) == 0 {
		return c, exit.Usage(errors.New("no clause applies, so that nothing can be judged: --capabilities and --areas leave none"))
	}
	labelled, err := selection.labelled(applicable)
	if err != nil {
		return c, err
	}
	c.Select = func([]*scenarios.Scenario) []*scenarios.Scenario { return selection.part.of(labelled) }
	return c, nil
}

// hurried is the conformer for this cloud controller manager. Without one there is nothing to
// learn from a second failure of a clause, or from a shorter one.
func (o conformanceOptions) hurried(c conformance.Conformer, subject manager.CCMSpec) conformance.Conformer {
	if subject.None() {
		c.Brief, c.Patience, c.Shorten, c.Confirm = !o.failFast, nonePatience, 0, 0
	}
	return c
}

func (o conformanceOptions) write(found conformance.Verdict, report scenarios.Report) error {
	var errs []error
	if o.report != "" {
		errs = append(errs, conformance.Write(o.report, found))
	}
	if o.summary != "" {
		errs = append(errs, reports.AppendText(o.summary, conformance.Summary(found)))
	}
	if err := errors.Join(errs...); err != nil {
		return exit.Environment(err)
	}
	return writeReport(o.testOptions, report)
}

// verdict turns the end of a run into the error that it ends with.
func (o conformanceOptions) verdict(ctx context.Context, found conformance.Verdict, report scenarios.Report, err error) error {
	failed := found.Score.Failed()
	switch {
	case ctx.Err() != nil || err != nil:
		return o.testOptions.verdict(ctx, report, err)
	case failed > 0:
		return &exit.Error{Code: exit.CodeFailed, Err: fmt.Errorf("%d of %d applicable clauses failed", failed, found.Score.Applicable)}
	case o.strict && report.Count(scenarios.Undecided) > 0:
		return &exit.Error{Code: exit.CodeFailed, Err: fmt.Errorf("%d of %d scenarios are undecided, which --strict counts as failures",
			report.Count(scenarios.Undecided), len(report.Scenarios))}
	case report.Count(scenarios.Invalid) > 0:
		return o.testOptions.verdict(ctx, report, nil)
	case len(report.Scenarios) > 0 && report.Count(scenarios.Passed)+report.Count(scenarios.KnownFailed)+report.Count(scenarios.Undecided) == 0:
		return exit.Usage(errors.New("no clause was judged: all scenarios that apply were skipped"))
	}
	return nil
}
