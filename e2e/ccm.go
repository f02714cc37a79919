package e2e

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// CCM runs the cloud controller manager under test. With the subject "none"
// there is nothing to run: its methods succeed and do nothing.
type CCM struct {
	cluster *Cluster
	subject Subject
	files   ccmFiles

	verbs sync.Mutex // one Start, Stop or Kill at a time

	mu      sync.Mutex // guards what follows
	process *process.Process
	watched chan struct{} // closed when the end of process has been recorded
	port    int
	starts  int
	panics  *panicScan
	exits   []Exit
	blamed  bool // the last of exits is of this start
}

// Exit is an end of a CCM that nobody asked for, or a panic that it survived.
// Each start has at most one: what follows a panic follows from it.
type Exit struct {
	Time time.Time `json:"time"`
	// Panic is whether the log shows a panic.
	Panic  bool   `json:"panic"`
	Reason string `json:"reason"`
	// Log are the last lines of its log.
	Log []string `json:"log"`
}

func newCCM(c *Cluster, subject Subject) *CCM {
	files := newCCMFiles(c.Dir)
	return &CCM{cluster: c, subject: subject, files: files, panics: &panicScan{path: files.log}}
}

// prepare gives the CCM its access and writes its files, so that one that is
// run by hand has them too.
func (c *CCM) prepare(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(c.files.log), 0o700); err != nil {
		return fmt.Errorf("make the folder of the logs: %w", err)
	}
	if err := grantCCM(ctx, c.cluster.Kube); err != nil {
		return err
	}
	return c.files.write(ctx, c.cluster)
}

// Subject is what runs.
func (c *CCM) Subject() Subject { return c.subject }

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
	return c.port
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
	c.verbs.Lock()
	defer c.verbs.Unlock()
	return c.start(ctx)
}

func (c *CCM) start(ctx context.Context) error {
	if c.subject.None() || c.Running() {
		return nil
	}
	if err := c.files.write(ctx, c.cluster); err != nil {
		return err
	}
	p, port, err := c.launch(ctx)
	if process.LostPort(err) {
		p, port, err = c.launch(ctx) // once more, with another port
	}
	if err != nil {
		return fmt.Errorf("start the cloud controller manager %s: %w", c.subject.Name, err)
	}
	watched := make(chan struct{})
	c.mu.Lock()
	c.process, c.watched, c.port = p, watched, port
	c.starts++
	c.blamed = false
	c.mu.Unlock()
	go c.watch(p, watched)
	return nil
}

// launch starts the process on a port that nobody listens on.
func (c *CCM) launch(ctx context.Context) (*process.Process, int, error) {
	port, err := process.FreePort()
	if err != nil {
		return nil, 0, err
	}
	p, err := process.Start(ctx, c.spec(port))
	return p, port, err
}

func (c *CCM) spec(port int) process.Spec {
	timings := c.cluster.timings
	spec := process.Spec{
		Name:         "ccm",
		Path:         c.subject.Path,
		Args:         c.subject.expand(c.files.placeholders(c.cluster, port), ccmFlags(timings)),
		Env:          c.files.environment(c.cluster),
		Dir:          c.files.dir,
		LogFile:      c.files.log,
		StartTimeout: timings.CCMStart,
		StopTimeout:  timings.CCMStop,
	}
	if c.subject.serves() {
		insecure := &tls.Config{InsecureSkipVerify: true} // it makes its certificate at each start
		spec.Ready = process.HTTPReady(fmt.Sprintf("https://127.0.0.1:%d/healthz", port), insecure)
	}
	return spec
}

// watch records the end of a process unless somebody asked for it: then it is
// no longer the CCM's process. It belongs to whoever ends the process, who waits for it.
func (c *CCM) watch(p *process.Process, watched chan struct{}) {
	defer close(watched)
	<-p.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process != p {
		return
	}
	c.process = nil
	c.blame(Exit{Reason: "the cloud controller manager ended by itself: " + p.Err().Error()})
	c.cluster.log.Error("the cloud controller manager ended by itself", "error", p.Err())
}

// exitLogLines is how much of the log an Exit shows.
const exitLogLines = 30

// Stop asks the CCM to end, kills it when it does not, and returns when it is gone.
func (c *CCM) Stop(ctx context.Context) error {
	return c.end(func(p *process.Process) error { return p.Stop(ctx) })
}

// Kill ends the CCM at once and returns when it is gone.
func (c *CCM) Kill(context.Context) error {
	return c.end((*process.Process).Kill)
}

// Restart stops the CCM and starts it once the old one is gone.
func (c *CCM) Restart(ctx context.Context) error {
	if err := c.Stop(ctx); err != nil {
		return err
	}
	return c.Start(ctx)
}

func (c *CCM) end(how func(*process.Process) error) error {
	c.verbs.Lock()
	defer c.verbs.Unlock()
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
	c.blame(Exit{}) // for a panic of its last moments
	c.mu.Unlock()
	if err != nil {
		c.cluster.log.Warn("the cloud controller manager did not stop in order", "error", err)
	}
	return nil
}

// Pause suspends the CCM as a stalled machine would; Resume lets it go on.
func (c *CCM) Pause() error { return c.suspend(true) }

// Resume lets a paused CCM go on.
func (c *CCM) Resume() error { return c.suspend(false) }

func (c *CCM) suspend(paused bool) error {
	c.verbs.Lock()
	defer c.verbs.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.subject.None() {
		return nil
	}
	if c.process == nil {
		return simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager does not run")
	}
	verb := (*process.Process).Resume
	if paused {
		verb = (*process.Process).Pause
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

// Exits returns the ends that nobody asked for and the panics that it
// survived, of all starts, in order.
func (c *CCM) Exits() []Exit {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process != nil {
		c.blame(Exit{})
	}
	return slices.Clone(c.exits)
}

// blame records an exit, or, when it has no reason, a panic if there was one.
// It holds the lock.
func (c *CCM) blame(exit Exit) {
	found := c.panics.scan()
	if exit.Reason == "" && len(found) == 0 {
		return
	}
	exit.Time, exit.Log, exit.Panic = time.Now(), tail(c.files.log, exitLogLines), len(found) > 0
	if exit.Reason == "" {
		exit.Reason = "the cloud controller manager panicked: " + found[0]
	}
	if !c.blamed {
		c.exits, c.blamed = append(c.exits, exit), true
		return
	}
	last := &c.exits[len(c.exits)-1]
	exit.Panic = exit.Panic || last.Panic
	*last = exit
}

// forget drops the exits so far: a new scenario begins.
func (c *CCM) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.panics.scan()
	c.exits, c.blamed = nil, false
}
