package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// testOptions are the flags of test.
type testOptions struct {
	selector string
	ccm      string
	kube     string
	report   string
	parallel int
	seed     uint64
	keep     bool
	verbose  bool
}

// defaultParallel is how many clusters run at a time: each takes about 1.2 GB, and mostly waits.
const defaultParallel = 2

// maxParallel is how many a machine can be asked for.
const maxParallel = 64

func newTestCommand(io stdio) *cobra.Command {
	var o testOptions
	cmd := &cobra.Command{
		Use:   "test [PATH...]",
		Short: "Test a cloud controller manager with scenarios",
		Long: `Test a cloud controller manager with scenarios: those of the files and folders
given, or without any those that simcloud brings along. Each runs on an empty
cluster whose cloud is simulated.

--ccm is the cloud controller manager under test: a command whose arguments may
have placeholders (see "simcloud up --help"), or none.

The exit code is 0 when all passed, 1 when one failed, 2 when the input cannot be
used, and 3 when a cluster could not be started.`,
		Example: `  simcloud test
  simcloud test -l tier=core --report out/
  simcloud test my-scenarios/ --ccm "./my-ccm --kubeconfig={kubeconfig} --secure-port={secure-port}"`,
		RunE: func(cmd *cobra.Command, paths []string) error { return runTest(cmd.Context(), io, o, paths) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.selector, "selector", "l", "", "run only scenarios with these labels, such as tier=core,area!=route")
	f.StringVar(&o.ccm, "ccm", "", "the cloud controller manager: a command, or none (default: simcloud-ccm)")
	f.StringVar(&o.kube, "kube", "", "path of simcloud-kube (default: found, or built once)")
	f.StringVar(&o.report, "report", "", "folder for report.json, junit.xml and the logs of everything that ran")
	f.IntVar(&o.parallel, "parallel", defaultParallel, "number of clusters that run at the same time")
	f.Uint64Var(&o.seed, "seed", 1, "what ids and addresses follow from")
	f.BoolVar(&o.keep, "keep", false, "keep the folders of the clusters, with their data and logs")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print each step")
	return cmd
}

func runTest(ctx context.Context, io stdio, o testOptions, paths []string) error {
	all, err := selectScenarios(o, paths)
	if err != nil {
		return err
	}
	subject, err := e2e.ParseSubject(o.ccm)
	if err != nil {
		return err
	}
	if err := prepareReport(o.report); err != nil {
		return err
	}
	reporter, done := newReporter(io, o, min(o.parallel, len(all)))
	defer done()
	defer context.AfterFunc(ctx, func() {
		fmt.Fprintln(io.err, "interrupted: cleaning up, a few seconds; Ctrl-C again ends it at once")
	})()
	kube, err := embedded.Find(ctx, embedded.FindOptions{Flag: o.kube, Progress: func(text string) { fmt.Fprintln(io.err, text) }})
	if err != nil {
		return err
	}
	folder, err := openRunFolder()
	if err != nil {
		return environmentError(err)
	}
	clusters := testClusters{options: o, subject: subject, kube: kube, folder: folder}
	runner := scenarios.Runner{
		Open: clusters.open, Parallel: o.parallel, Seed: o.seed, Subject: subject.Name, Reporter: reporter, Dir: o.report,
	}
	report, err := runner.Run(ctx, all)
	done()
	fmt.Fprint(io.out, scenarios.Summary(report))
	return errors.Join(verdict(ctx, report, err), writeReport(o, report), clusters.remove(io))
}

// verdict turns the end of a run into the error that it ends with.
func verdict(ctx context.Context, report scenarios.Report, err error) error {
	failed := report.Count(scenarios.Failed)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && simcloud.CodeOf(err) == simcloud.Invalid:
		return err
	case err != nil:
		return environmentError(err)
	case failed > 0:
		return &exitError{exitFailed, fmt.Errorf("%d of %d scenarios failed", failed, len(report.Scenarios))}
	}
	return nil
}

// prepareReport finds out before anything runs whether the report can be written.
func prepareReport(dir string) error {
	if dir == "" {
		return nil
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".probe-"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return usageError(fmt.Errorf("--report %q is not a folder that can be written: %w", dir, err))
	}
	return nil
}

func writeReport(o testOptions, report scenarios.Report) error {
	if o.report == "" {
		return nil
	}
	if err := scenarios.WriteReport(o.report, report); err != nil {
		return environmentError(err)
	}
	return nil
}

// selectScenarios loads what is asked for.
func selectScenarios(o testOptions, paths []string) ([]*scenarios.Scenario, error) {
	if o.parallel < 1 || o.parallel > maxParallel {
		return nil, usageError(fmt.Errorf("--parallel is %d: 1 to %d are right", o.parallel, maxParallel))
	}
	selector, err := labels.Parse(o.selector)
	if err != nil {
		return nil, usageError(fmt.Errorf("--selector: %w", err))
	}
	var all []*scenarios.Scenario
	if len(paths) == 0 {
		all, err = scenarios.Library()
	} else {
		all, err = scenarios.Load(paths...)
	}
	if err != nil {
		return nil, usageError(err)
	}
	var selected []*scenarios.Scenario
	for _, s := range all {
		if selector.Matches(labels.Set(s.Labels)) {
			selected = append(selected, s)
		}
	}
	if len(selected) == 0 {
		return nil, usageError(fmt.Errorf("--selector %q matches none of %d scenarios", o.selector, len(all)))
	}
	return selected, nil
}

// newReporter shows what runs in lines that change when that is possible. The function ends it.
func newReporter(io stdio, o testOptions, slots int) (scenarios.Reporter, func()) {
	if file, ok := io.out.(*os.File); ok && !o.verbose && term.IsTerminal(int(file.Fd())) {
		terminal := scenarios.NewTerminal(file, slots, func() int {
			width, _, err := term.GetSize(int(file.Fd()))
			if err != nil {
				return 0
			}
			return width
		})
		return terminal, sync.OnceFunc(terminal.Close)
	}
	return scenarios.NewLines(io.out, o.verbose), func() {}
}

// testClusters starts the clusters of a run, each in a folder of its own.
type testClusters struct {
	options testOptions
	subject e2e.Subject
	kube    string
	folder  runFolder
}

// remove deletes the folders, or says where they are.
func (c testClusters) remove(io stdio) error {
	end := c.folder.remove
	if c.options.keep {
		fmt.Fprintf(io.err, "the folders of the clusters are in %s\n", c.folder.path)
		end = c.folder.keep
	}
	if err := end(); err != nil {
		return environmentError(err)
	}
	return nil
}
