package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/console"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// upHere runs a sandbox in this process until ctx is done. Then nothing of it
// is left; after a failure to start, only its logs are.
func upHere(ctx context.Context, out output.Streams, o upOptions) (err error) {
	s, err := sandbox.Open(o.name)
	if err != nil {
		return err
	}
	lock, err := claimSandbox(s, !o.background)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	u := &up{options: o, sandbox: s, io: out, progress: newProgress(out.Err)}
	err = u.run(ctx)
	switch {
	case err == nil:
		return s.Remove()
	case ctx.Err() != nil: // an interruption explains itself
		return errors.Join(context.Cause(ctx), s.Remove())
	case errors.Is(err, errCloudEnded): // its file can be looked at
		return errors.Join(u.explain(err), s.RemoveBut("lock", "logs", "kube", "cloud.db"))
	case simcloud.CodeOf(err) == simcloud.Invalid: // it is the input's fault, which no log says more of
		return errors.Join(err, s.Remove())
	}
	return errors.Join(u.explain(err), s.RemoveAllButLogs())
}

// claimSandbox takes the sandbox for this process and, when fresh, removes
// what a sandbox that crashed left.
func claimSandbox(s sandbox.Folder, fresh bool) (*sandbox.Lock, error) {
	lock, err := s.Lock()
	if errors.Is(err, sandbox.ErrRuns) {
		return nil, exit.Usage(fmt.Errorf("the sandbox %s runs already: end it with \"simcloud down --sandbox %s\", or choose another --sandbox", s.Name, s.Name))
	}
	if err != nil {
		return nil, err
	}
	if fresh {
		err = s.Clear()
	}
	if err == nil {
		err = lock.Sign(s, os.Getpid())
	}
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return lock, nil
}

// up is a sandbox on its way up, and then running.
type up struct {
	options  upOptions
	sandbox  sandbox.Folder
	io       output.Streams
	progress *progress
	state    sandbox.State
	cluster  *e2e.Cluster
	nodes    []string // those that are waited for
	end      context.CancelCauseFunc
	console  console.Cluster // what the console shows of the cluster
}

// explain adds to the error of a start where to read on.
func (u *up) explain(err error) error {
	if simcloud.CodeOf(err) == simcloud.Internal {
		err = exit.Environment(err)
	}
	return fmt.Errorf("%w\nThe logs are in %s", err, strings.Join(u.sandbox.LogDirs(), " and "))
}

func (u *up) run(ctx context.Context) (err error) {
	ctx, u.end = context.WithCancelCause(ctx)
	defer func() { u.end(nil) }()
	defer func() { err = causedByCloud(ctx, err) }()
	began := time.Now()
	u.state = sandbox.State{Name: u.sandbox.Name, PID: os.Getpid(), Phase: sandbox.PhaseStarting, Backend: u.options.backend.backend, Started: began}
	u.state.CCM.Name = u.options.subject.Name
	if err := u.sandbox.WriteState(u.state); err != nil {
		return err
	}
	log, err := u.openLog()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	backend, err := u.options.backend.find(ctx, u.progress.line)
	if err != nil {
		return err
	}
	began = time.Now() // a build is not part of the start
	starting, cancel := context.WithTimeoutCause(ctx, u.options.timeout, errNotReadyInTime)
	defer cancel()
	cfg := u.config(log)
	cfg.Opened = func(cloud *sim.Cloud) { u.opened(ctx, cloud) }
	if err := backend.join(&cfg, cfg.Name, u.progress.detail); err != nil {
		return err
	}
	if u.options.dataPlaneGiven {
		cfg.Cloud.DataPlane = u.options.dataPlane
	}
	if err := u.sandbox.MarkChildren(); err != nil {
		return exit.Environment(err)
	}
	if u.cluster, err = e2e.Start(starting, cfg); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, u.stop(ctx)) }()
	defer u.showCluster(ctx)()
	if err := u.becomeReady(starting, backend.kubectl(), began); err != nil {
		return err
	}
	return u.keepState(ctx)
}

var errNotReadyInTime = simcloud.Errorf(simcloud.Timeout, "", "the sandbox was not ready within the --timeout")

// openLog opens the log of the harness and the cloud.
func (u *up) openLog() (io.WriteCloser, error) {
	if err := os.MkdirAll(u.sandbox.Path("logs"), 0o700); err != nil {
		return nil, exit.Environment(err)
	}
	log, err := os.OpenFile(u.sandbox.Path("logs", "simcloud.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, exit.Environment(err)
	}
	return log, nil
}

func (u *up) config(log io.Writer) e2e.Config {
	o := u.options
	cloud := sim.Config{
		Data: o.data, Ephemeral: o.ephemeral, Listen: o.listen, TokenFile: o.tokenFile, Seed: o.seed, Progression: o.moves, Cluster: &u.console,
		MemoryBudget: o.memoryBudget, AllowedHosts: o.allowedHosts,
	}
	switch {
	case cloud.TokenFile != "":
	case o.data != "": // a cloud that is kept needs its token kept
		cloud.TokenFile = o.data + ".token"
	default:
		cloud.TokenFile = u.sandbox.Path("token")
	}
	if cloud.Data == "" && !cloud.Ephemeral {
		cloud.Data = u.sandbox.Path("cloud.db")
	}
	// Who watches the terminal sees errors; everything is in the log.
	handler := slog.NewMultiHandler(
		slog.NewTextHandler(log, nil),
		slog.NewTextHandler(u.io.Err, &slog.HandlerOptions{Level: slog.LevelError}))
	return e2e.Config{
		Name: "simcloud-" + o.name, Dir: u.sandbox.Dir, Cloud: cloud, Rules: o.backend.profile.Cloud, NodeIPs: o.backend.profile.NodeIPs, Subject: o.subject,
		Log: slog.New(handler), Progress: u.progress.step, Prepare: u.prepare,
	}
}

// becomeReady starts the CCM while the machines boot, and waits for the nodes.
func (u *up) becomeReady(ctx context.Context, kube string, began time.Time) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if u.options.subject.None() {
			return nil
		}
		return u.progress.time("start the cloud controller manager "+u.options.subject.Name, func() error { return u.cluster.CCM.Start(ctx) })
	})
	group.Go(func() error { return u.awaitNodes(ctx) })
	if annotations := u.options.backend.profile.ServiceAnnotations; len(annotations) > 0 && u.options.backend.backend != backendExisting {
		group.Go(func() error { return annotateServices(ctx, u.cluster.Kube, annotations) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	path, err := u.linkKubectl(kube)
	if err != nil {
		return err
	}
	c := u.cluster
	u.state.Phase, u.state.Path = sandbox.PhaseReady, path
	u.state.Endpoint, u.state.TokenFile, u.state.Kubeconfig = c.CloudURL, c.TokenFile, c.Kubeconfig
	u.refresh()
	if err := u.sandbox.WriteState(u.state); err != nil {
		return err
	}
	u.progress.line(fmt.Sprintf("ready after %s", seconds(time.Since(began))))
	if !u.options.background {
		printSummary(u.io.Out, u.state)
	}
	return nil
}

// stop ends the sandbox, and tells whoever waits.
func (u *up) stop(ctx context.Context) error {
	u.state.Phase = sandbox.PhaseStopping
	return errors.Join(
		u.sandbox.WriteState(u.state),
		u.progress.time("stop the sandbox", func() error { return u.cluster.Stop(context.WithoutCancel(ctx)) }))
}
