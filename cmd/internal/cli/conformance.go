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
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

// conformanceOptions are the flags of conformance; those that it has in common with test are test's.
type conformanceOptions struct {
	testOptions
	areas   []string
	shorten int
}

// nonePatience is how long a step waits when there is no CCM: nothing comes.
const nonePatience = 3 * time.Second

func newConformanceCommand(io output.Streams) *cobra.Command {
	var o conformanceOptions
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Judge a cloud controller manager by the clauses of what all must do",
		Long: `Judge a cloud controller manager by the clauses of what all must do, in the areas
node, lifecycle, service, route and process (docs/conformance.md). Each clause is
passed, failed, a known failure, not applicable, because the cloud controller manager does not
declare a capability that it needs, or not checked, because its scenarios
cannot be run here. The score is the clauses that passed of those that apply; one
that failed as --known-failures or the profile says applies, and has not passed.

--capabilities names the file that declares what the cloud controller manager can do;
"simcloud conformance capabilities -o yaml" writes one. Without it all is declared.

With --report, the folder gets conformance.json, conformance.md and the report of
"simcloud test", and for each failure reproduce/<scenario>.yaml: the scenario without the
steps that the failure does not need, as far as --shorten runs find out.

The exit code is 0 when all clauses that apply passed or failed as is known, 1 when one failed, 2 when the
input cannot be used, 3 when the environment failed, such as a cluster that does not
start, and 130 when it was interrupted.`,
		Example: `  simcloud conformance
  simcloud conformance --ccm "./my-ccm --kubeconfig={kubeconfig} --secure-port={secure-port}" --capabilities caps.yaml --report out/
  simcloud conformance --ccm "CLOUD_URL={endpoint} ./my-ccm {flags}" --areas node,lifecycle`,
		Args: usage.KnownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return runConformance(cmd, io, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.ccm, "ccm", "", "cloud controller manager: a command, or none (default: simcloud-ccm)")
	f.StringVar(&o.capabilities, "capabilities", "", "file that declares what the cloud controller manager can do (default: everything)")
	f.StringSliceVar(&o.areas, "areas", nil, "only these areas: "+strings.Join(conformance.Areas(), ", "))
	f.StringVar(&o.report, "report", "", "folder for the verdict, the report, what reproduces failures, and the logs of everything that ran")
	f.IntVar(&o.shorten, "shorten", 4, "number of times that a failing scenario runs again with fewer steps, with --report; 0 only leaves out what came after the failure")
	f.IntVar(&o.parallel, "parallel", defaultParallel, "number of clusters that run at the same time")
	f.Uint64Var(&o.seed, "seed", 1, "seed of ids and addresses")
	f.BoolVar(&o.keep, "keep", false, "folders of the clusters, with their data and logs, kept after the run")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "one line for each step")
	o.addKnownFlag(cmd)
	o.backend.addFlags(cmd)
	cmd.AddCommand(newCapabilitiesCommand())
	return cmd
}

func runConformance(cmd *cobra.Command, io output.Streams, o conformanceOptions) error {
	ctx := cmd.Context()
	if err := o.check(cmd); err != nil {
		return err
	}
	all, err := scenariorun.Library()
	if err != nil {
		return exit.Usage(err)
	}
	known, err := o.knownFailures(nil)
	if err != nil {
		return err
	}
	subject, err := o.backend.subject(o.ccm)
	if err != nil {
		return err
	}
	if err := prepareReport(o.report); err != nil {
		return err
	}
	o.parallel = o.backend.clusters(o.parallel)
	reporter, done := newReporter(io, o.testOptions, o.parallel)
	defer done()
	defer context.AfterFunc(ctx, func() {
		fmt.Fprintln(io.Err, "interrupted: cleaning up, a few seconds; Ctrl-C again ends it at once")
	})()
	backend, err := o.backend.find(ctx, output.Printer(io.Err))
	if err != nil {
		return err
	}
	folder, err := openRunFolder()
	if err != nil {
		return exit.Environment(err)
	}
	clusters := testClusters{options: o.testOptions, subject: subject, backend: backend, folder: folder, waiting: output.Printer(io.Err)}
	conformer := o.conformer(subject)
	conformer.Runner = scenariorun.Runner{
		Open: clusters.open, Parallel: o.parallel, Seed: o.seed, Subject: subject.Name, Reporter: reporter, Dir: o.report, Known: known,
	}
	conformer.Reference, conformer.Flags = o.reference(io, clusters), againFlags(cmd)
	found, report, err := conformer.Run(ctx, all)
	report.Flags = conformer.Flags
	done()
	fmt.Fprint(io.Out, conformance.Text(found))
	return errors.Join(clausesVerdict(ctx, found, report, err), o.write(found, report), clusters.remove(io))
}

// check finds out what cannot be right before anything is started, and what is declared.
func (o *conformanceOptions) check(cmd *cobra.Command) error {
	if err := o.backend.check(cmd); err != nil {
		return err
	}
	if o.parallel < 1 || o.parallel > maxParallel {
		return exit.Usage(fmt.Errorf("--parallel is %d: want 1 to %d", o.parallel, maxParallel))
	}
	if o.shorten < 0 {
		return exit.Usage(fmt.Errorf("--shorten is %d: want a number from 0", o.shorten))
	}
	for _, area := range o.areas {
		if !slices.Contains(conformance.Areas(), area) {
			return exit.Usage(fmt.Errorf("--areas: %q is not one of: %s", area, strings.Join(conformance.Areas(), ", ")))
		}
	}
	if err := o.declare(); err != nil {
		return err
	}
	if o.declared == nil {
		o.declared = scenarios.AllCapabilities()
	}
	return nil
}

// conformer has what does not depend on where it runs. Without a CCM there is
// nothing to learn from a second failure of a clause, or from a shorter one.
func (o conformanceOptions) conformer(subject manager.CCMSpec) conformance.Conformer {
	c := conformance.Conformer{Capabilities: o.declared, Areas: o.areas, Shorten: o.shorten}
	if subject.None() {
		c.Brief, c.Patience, c.Shorten = true, nonePatience, 0
	}
	return c
}

func (o conformanceOptions) write(found conformance.Verdict, report scenarios.Report) error {
	if o.report == "" {
		return nil
	}
	if err := conformance.Write(o.report, found); err != nil {
		return exit.Environment(err)
	}
	return writeReport(o.testOptions, report)
}

// clausesVerdict turns the end of a run into the error that it ends with.
func clausesVerdict(ctx context.Context, found conformance.Verdict, report scenarios.Report, err error) error {
	failed := found.Score.Failed()
	switch {
	case ctx.Err() != nil || err != nil:
		return verdict(ctx, report, err)
	case failed > 0:
		return &exit.Error{Code: exit.CodeFailed, Err: fmt.Errorf("%d of %d applicable clauses failed", failed, found.Score.Applicable)}
	case found.Score.Applicable == 0:
		return exit.Usage(errors.New("no clause applies, so that nothing was judged: --capabilities and --areas leave none"))
	}
	return nil
}
