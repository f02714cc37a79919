package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/scenarios"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

// session is a run of scenarios that can begin.
type session struct {
	clusters testClusters
	runner   scenariorun.Runner
	tell     teller
	// end ends the lines that change, and nothing is said any more when the run is interrupted.
	end func()
}

// check finds out what cannot be right with the flags of every run, before anything is started.
func (o *testOptions) check(cmd *cobra.Command) error {
	if err := o.checkPause(cmd); err != nil {
		return err
	}
	if o.retries < 0 || o.retries > maxRetries {
		return exit.Usage(fmt.Errorf("invalid --retries %d: must be between 0 and %d", o.retries, maxRetries))
	}
	if o.parallel < 1 || o.parallel > maxParallel {
		return exit.Usage(fmt.Errorf("invalid --parallel %d: must be between 1 and %d", o.parallel, maxParallel))
	}
	if err := errors.Join(o.backend.check(cmd), o.checkFallback()); err != nil {
		return err
	}
	return o.declare()
}

// session makes everything that a run of scenarios of these paths needs, but starts no cluster; runs is how
// many scenarios run at most, each as often as it does.
func (o *testOptions) session(ctx context.Context, io output.Streams, paths []string, runs int) (session, error) {
	known, err := o.knownFailures(ctx, paths)
	if err != nil {
		return session{}, err
	}
	subject, err := o.backend.subject(o.ccm)
	if err != nil {
		return session{}, err
	}
	if err := errors.Join(prepareReport(o.report), prepareSummary(o.summary)); err != nil {
		return session{}, err
	}
	o.parallel = o.backend.clusters(o.parallel)
	tell := newTeller(io, *o, min(o.parallel, runs))
	stop := context.AfterFunc(ctx, func() {
		fmt.Fprintln(io.Err, endsEarly(ctx)+": cleaning up, a few seconds; Ctrl-C again ends it at once")
	})
	end := func() { tell.quiet(); stop() }
	backend, err := o.backend.find(ctx, output.Printer(io.Err))
	if err != nil {
		end()
		return session{}, err
	}
	folder, err := openRunFolder()
	if err != nil {
		end()
		return session{}, exit.Environment(err)
	}
	clusters := testClusters{options: *o, subject: subject, backend: backend, folder: folder, waiting: output.Printer(io.Err)}
	isolate, fallback, err := clusters.apart(ctx)
	if err != nil {
		end()
		return session{}, err
	}
	tell.begin(scenarios.Report{Seed: o.seed, Subject: subject.Name, Version: thisRelease().Version}, runs)
	return session{
		clusters: clusters, tell: tell, end: end,
		runner: scenariorun.Runner{
			Open: clusters.open, Isolate: isolate, Fallback: fallback, Parallel: o.parallel, Seed: o.seed, Subject: subject.Name, Reporter: tell.reporter, Dir: o.report,
			Retries: o.retries, Known: known, FailFast: o.failFast, Pause: o.pauser(io, tell.reporter),
		},
	}, nil
}
