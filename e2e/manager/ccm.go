package manager

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// CCM runs the cloud controller manager under test. With the subject "none"
// there is nothing to run: its methods succeed and do nothing.
type CCM struct {
	deps     Deps
	name     string
	subject  CCMSpec
	files    ccmFiles
	leader   *CCM // of a standby: the CCM whose settings it has
	standby  *CCM // of a leader
	api      *kubeAPI
	rights   rights // of both, kept by the leader
	launcher launcher

	verbs turns // of Start, Stop and Kill

	mu       sync.Mutex // guards what follows
	settings control.Settings
	process  ccmRun
	watched  chan struct{}           // closed when the end of process has been recorded
	giveUp   context.CancelCauseFunc // ends the start that is under way; nil when none is
	at       endpoint
	starts   int
	panics   *panicScan
	exits    []control.Exit
	recorded bool // the last of exits is of this start
	kill     killOrder
}

func newCCM(d Deps, name string, subject CCMSpec, token *ccmToken) *CCM {
	files := newCCMFiles(d.Dir, name, token)
	return &CCM{deps: d, name: name, subject: subject, files: files, panics: &panicScan{path: files.log}, verbs: newTurns()}
}

// Prepare gives the CCM its access and writes its files, so that one that is
// run by hand has them too.
func (c *CCM) Prepare(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(c.files.log), 0o700); err != nil {
		return fmt.Errorf("make the folder of the logs: %w", err)
	}
	if err := c.files.token.ensure(ctx); err != nil {
		return err
	}
	if err := c.launcher.prepare(ctx); err != nil {
		return err
	}
	return c.files.write(ctx, c.deps, c.api, control.Settings{})
}

// Spec is what runs.
func (c *CCM) Spec() CCMSpec { return c.subject }

// Kubeconfig is the path of the CCM's own access to the cluster.
func (c *CCM) Kubeconfig() string { return c.files.kubeconfig }

// CloudConfig is the path of simcloud-ccm's configuration.
func (c *CCM) CloudConfig() string { return c.files.cloudConfig }

// Log is the path of its log, to which each start appends.
func (c *CCM) Log() string { return c.files.log }

// SecurePort is where the running CCM serves its health and metrics; 0 before the first start.
func (c *CCM) SecurePort() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at.port
}

// Starts counts how often it was started.
func (c *CCM) Starts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.starts
}

// Start starts the CCM and returns when it runs and, if it serves its health,
// is healthy. The error has the last lines of its log. A CCM that runs already is left alone.
func (c *CCM) Start(ctx context.Context) error {
	c.verbs.take()
	defer c.verbs.give()
	return c.start(ctx)
}

func (c *CCM) start(ctx context.Context) error {
	if c.subject.None() || c.Running() {
		return nil
	}
	settings := c.configured()
	if err := c.files.write(ctx, c.deps, c.api, settings); err != nil {
		return err
	}
	ctx, done := c.starting(ctx)
	defer done()
	run, at, err := c.launcher.launch(ctx, settings)
	switch {
	case errors.Is(err, errKilledAtCall): // killed as it was ordered, before it was healthy
		return nil
	case err != nil:
		return fmt.Errorf("start the cloud controller manager %s: %w", c.subject.Name, err)
	}
	watched := make(chan struct{})
	c.mu.Lock()
	c.process, c.watched, c.at = run, watched, at
	c.mu.Unlock()
	go c.watch(run, watched)
	return nil
}

// starting counts a start, and lets it be ended by giveUp until done is called.
func (c *CCM) starting(ctx context.Context) (_ context.Context, done func()) {
	ctx, giveUp := context.WithCancelCause(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveUp = giveUp
	c.starts++
	c.recorded = false
	return ctx, func() {
		c.mu.Lock()
		c.giveUp = nil
		c.mu.Unlock()
		giveUp(nil)
	}
}

// watch records the end of a process unless it was asked to end: then it is
// no longer the CCM's process. It belongs to whoever ends the process, who waits for it.
func (c *CCM) watch(p ccmRun, watched chan struct{}) {
	defer close(watched)
	<-p.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process != p {
		return
	}
	c.process = nil
	c.recordExit(control.Exit{Reason: "the cloud controller manager ended by itself: " + p.Err().Error()})
	c.deps.Log.Error("the cloud controller manager ended by itself", "error", p.Err())
}

// restarted records an end after which the kubelet has started the CCM again.
func (c *CCM) restarted(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process == nil {
		return // it was not in use yet
	}
	c.recordExit(control.Exit{Reason: reason})
	c.recorded = false
	c.starts++
	c.deps.Log.Error("the cloud controller manager was started again", "reason", reason)
}

// exitLogLines is how much of the log an Exit shows.
const exitLogLines = 30

// Stop asks the CCM to end, kills it when it does not, and returns when it is gone.
func (c *CCM) Stop(ctx context.Context) error {
	return c.end(func(p ccmRun) error { return p.Stop(ctx) })
}

// Kill ends the CCM at once and returns when it is gone.
func (c *CCM) Kill(context.Context) error {
	return c.end(ccmRun.Kill)
}

// Restart stops the CCM and starts it once the old one is gone.
func (c *CCM) Restart(ctx context.Context) error {
	if err := c.Stop(ctx); err != nil {
		return err
	}
	return c.Start(ctx)
}

func (c *CCM) end(how func(ccmRun) error) error {
	c.verbs.take()
	defer c.verbs.give()
	c.mu.Lock()
	p, watched := c.process, c.watched
	c.process = nil // from here on its end is asked for
	c.mu.Unlock()
	if p == nil {
		return nil
	}
	err := how(p)
	select {
	case <-p.Done():
	default:
		return fmt.Errorf("stop the cloud controller manager: %w", err)
	}
	<-watched
	c.mu.Lock()
	c.recordExit(control.Exit{}) // for a panic of its last moments
	c.mu.Unlock()
	if err != nil {
		c.deps.Log.Warn("the cloud controller manager did not stop in order", "error", err)
	}
	return nil
}

// Pause suspends the CCM as a stalled machine would; Resume lets it go on.
func (c *CCM) Pause() error { return c.suspend(true) }

// Resume lets a paused CCM go on.
func (c *CCM) Resume() error { return c.suspend(false) }

func (c *CCM) suspend(paused bool) error {
	c.verbs.take()
	defer c.verbs.give()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.subject.None() {
		return nil
	}
	if c.process == nil {
		return simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager is not running")
	}
	verb := ccmRun.Resume
	if paused {
		verb = ccmRun.Pause
	}
	return verb(c.process)
}

// Running reports whether the CCM runs. A paused one does.
func (c *CCM) Running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.process != nil
}

// LogTail returns the last n lines of its log, of all starts.
func (c *CCM) LogTail(n int) []string { return tail(c.files.log, n) }

// Exits returns the unexpected ends and the panics that it
// survived, of all starts, in order.
func (c *CCM) Exits() []control.Exit {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process != nil {
		c.recordExit(control.Exit{})
	}
	return slices.Clone(c.exits)
}

// recordExit records an exit, or, when it has no reason, a panic if there was one.
// It holds the lock.
func (c *CCM) recordExit(exit control.Exit) {
	found := c.panics.scan()
	if exit.Reason == "" && len(found) == 0 {
		return
	}
	exit.Time, exit.Log, exit.Panic = time.Now(), tail(c.files.log, exitLogLines), len(found) > 0
	if exit.Reason == "" {
		exit.Reason = "the cloud controller manager panicked: " + found[0]
	}
	if !c.recorded {
		c.exits, c.recorded = append(c.exits, exit), true
		return
	}
	last := &c.exits[len(c.exits)-1]
	exit.Panic = exit.Panic || last.Panic
	*last = exit
}

// Forget drops the exits so far, and the settings, of the standby too: a new scenario begins.
func (c *CCM) Forget() {
	if c.standby != nil {
		c.standby.Forget()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.panics.scan()
	c.exits, c.recorded, c.settings = nil, false, control.Settings{}
}

// New makes a CCM and its standby, which do not run yet.
func New(d Deps, spec CCMSpec, place Place) *CCM {
	token := &ccmToken{cloud: d.Cloud, file: filepath.Join(d.Dir, "ccm", "token")}
	api := newKubeAPI(d.Kube.Config, d.Wire != nil)
	c := newCCM(d, "ccm", spec, token)
	c.standby = newCCM(d, "ccm-standby", spec, token)
	c.standby.leader = c
	for _, replica := range []*CCM{c, c.standby} {
		replica.api, replica.launcher = api, place.launcher(replica)
	}
	return c
}

// Standby is a second replica of the CCM, with the same settings, the same
// token and the same ServiceAccount, and with files of its own. It runs only when it
// is started; together with the CCM it needs leader election, which the
// harness turns off unless the flags say otherwise.
func (c *CCM) Standby() *CCM { return c.standby }

// StopAll stops the CCM and its standby, and takes back the orders to kill them.
func (c *CCM) StopAll(ctx context.Context) error {
	return errors.Join(c.standby.Stop(ctx), c.Stop(ctx), c.standby.forgetKill(ctx), c.forgetKill(ctx))
}

// Close stops all that runs for the CCM and its standby.
func (c *CCM) Close(ctx context.Context) error {
	return errors.Join(c.StopAll(ctx), c.api.close())
}
