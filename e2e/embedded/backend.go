// Package embedded runs a real Kubernetes control plane and real kubelets as
// processes on 127.0.0.1: etcd, kube-apiserver, kube-controller-manager,
// kube-scheduler, and a kubelet with a fake container runtime for each node. All are the
// one binary simcloud-kube, which is built from e2e/kube.
package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/gobuild"
	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Networks of every cluster of this backend.
const (
	ClusterCIDR = "10.244.0.0/16" // pods; each node gets a /24 of it
	// serviceCIDR has both families, so that Services can ask for either or both.
	serviceCIDR = "10.96.0.0/16,fd00:10:96::/112"
	serviceIP   = "10.96.0.1" // of the Service default/kubernetes
)

// Config configures a Backend.
type Config struct {
	// Dir holds everything that the cluster writes, in the folders pki, etcd,
	// nodes and logs, which are emptied at the start. Only its owner can read them.
	Dir string
	// Kube is the path of simcloud-kube: see Find.
	Kube string
	// Audit is the path of an audit policy (audit.k8s.io/v1): the API server
	// records what it says in AuditLog. Empty for what the CCM asks, of which it keeps the last 8 MiB.
	Audit string
	// NodeGrace is how long a node may be silent until it is not ready. It must
	// be some periods of its heartbeat; 0 is 4 s, for kubelets, which report each
	// second, and more on a machine that is slow by Backend.Factor.
	NodeGrace time.Duration
	// NodeMask is how long the prefix of a node's pods is, which says how many
	// nodes get one: 0 is 24, for 256 nodes; 28 is for 4096.
	NodeMask int
	// APIServerOnly leaves out kube-controller-manager and kube-scheduler: only
	// clients change objects, as tests of the API server itself need.
	APIServerOnly bool
	// Progress, if any, is told what happens, a line at a time.
	Progress func(string)
}

const (
	// defaultNodeGrace is four of the kubelet's periods: see e2e/kube.
	defaultNodeGrace = 4 * time.Second
	defaultNodeMask  = 24
)

// NodeMaskFor is the NodeMask of a cluster with so many nodes: the shortest prefix of which there are enough, with
// some to spare for nodes that come and go.
func NodeMaskFor(nodes int) int {
	mask := defaultNodeMask
	for room := 1 << (defaultNodeMask - 16); room < nodes+nodes/8 && mask < 28; room *= 2 {
		mask++
	}
	return mask
}

// Backend is a control plane with its nodes. It is used once: started, then stopped.
type Backend struct {
	kube     string
	dir      layout
	audit    string
	grace    time.Duration
	mask     int
	alone    bool // see Config.APIServerOnly
	progress func(string)

	life   context.Context // ends with Stop
	end    context.CancelFunc
	boots  sync.WaitGroup  // nodes on their way
	alive  context.Context // ends when a part of the control plane ends without being stopped
	lose   context.CancelCauseFunc
	guards sync.WaitGroup // of the parts

	mu     sync.Mutex // guards what follows
	state  state
	plane  *plane
	nodes  map[string]*node // those that were not stopped; nil while one boots
	timing []Timing
}

type state int

const (
	fresh state = iota
	running
	stopped
)

var _ e2e.Backend = (*Backend)(nil)

// New returns a backend that is not started. It fails when Kube is no program.
func New(c Config) (*Backend, error) {
	if c.Dir == "" {
		return nil, simcloud.Errorf(simcloud.Invalid, "backend/embedded", "Dir: must be given")
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("directory of the control plane: %w", err)
	}
	if err := gobuild.Executable(c.Kube); err != nil {
		return nil, simcloud.Errorf(simcloud.Invalid, "backend/embedded", "Kube: %w", err)
	}
	if err := c.checkAudit(); err != nil {
		return nil, err
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	b := &Backend{
		kube: c.Kube, dir: layout(dir), audit: c.Audit, grace: c.NodeGrace, mask: cmp.Or(c.NodeMask, defaultNodeMask),
		alone: c.APIServerOnly, progress: c.Progress, nodes: map[string]*node{},
	}
	b.life, b.end = context.WithCancel(context.Background())
	b.alive, b.lose = context.WithCancelCause(context.Background())
	return b, nil
}

// Name returns "embedded".
func (b *Backend) Name() string { return "embedded" }

// Capabilities has what processes on one machine can do: they have neither
// networks, nor disks that outlive them, nor images.
func (b *Backend) Capabilities() e2e.Capabilities {
	return e2e.Capabilities{RestartAPIServer: b.RestartAPIServer, Asked: b.Asked, Done: b.Done, Err: b.Err, Factor: b.Factor}
}

// Start starts the control plane and returns an admin's access to it. When
// another process took one of its ports in the meantime, it tries once more with others.
func (b *Backend) Start(ctx context.Context) (*rest.Config, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != fresh {
		return nil, simcloud.Errorf(simcloud.Conflict, "backend/embedded", "was started before; a backend is used once")
	}
	p, err := b.startPlane(ctx)
	if process.LostPort(err) {
		b.progress("another program took a port of the control plane: starting again with other ports")
		p, err = b.startPlane(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("start the control plane: %w", err)
	}
	b.plane, b.state = p, running
	b.guard(p.parts()...)
	return p.admin(), nil
}

// Stop kills the nodes and then the control plane, dependents first. Nothing of
// a cluster outlives it, so nothing gets time to shut down in order.
func (b *Backend) Stop(context.Context) error {
	b.end()
	b.mu.Lock()
	b.state = stopped
	b.mu.Unlock()
	b.boots.Wait()
	b.guards.Wait()

	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for _, n := range b.nodes {
		errs = append(errs, n.Kill())
	}
	if b.plane != nil {
		errs = append(errs, b.plane.stop())
		b.plane = nil
	}
	return errors.Join(errs...)
}

// Logs copies the log of every process that ran into dir.
func (b *Backend) Logs(ctx context.Context, dir string) error {
	logs, err := filepath.Glob(filepath.Join(b.dir.logs(), "*.log"))
	if err != nil {
		return fmt.Errorf("logs of the control plane: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("logs of the control plane: %w", err)
	}
	for _, log := range logs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := copyFile(log, filepath.Join(dir, filepath.Base(log))); err != nil {
			return fmt.Errorf("logs of the control plane: %w", err)
		}
	}
	return nil
}

// Start starts a cluster of this backend in a new folder below cfg.Dir, with the
// simcloud-kube at the path kube: see [Find]. It sets cfg.Dir and cfg.Backend; errors are those of [New] and [e2e.Start].
func Start(ctx context.Context, kube string, cfg e2e.Config) (*e2e.Cluster, error) {
	dir, err := os.MkdirTemp(cfg.Dir, cfg.Name+"-")
	if err != nil {
		return nil, err
	}
	backend, err := New(Config{Dir: filepath.Join(dir, "kube"), Kube: kube})
	if err != nil {
		return nil, err
	}
	cfg.Dir, cfg.Backend = dir, backend
	return e2e.Start(ctx, cfg)
}
