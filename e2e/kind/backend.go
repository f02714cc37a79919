// Package kind runs clusters of real nodes: containers of kind's node images,
// with systemd, containerd, a kubelet and kube-proxy each. The control plane
// comes from kind itself, as a library; the machines are containers with kind's
// own flags and labels, one for each instance, so that kind's command
// knows them, too.
//
// Pods have addresses of the pod CIDRs of their Node. Those of one node reach
// each other; those of two only by routes, of which there are those of the
// cloud's route tables (FollowCloud) and no others.
package kind

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/kind/pkg/cluster"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/e2e/kind/leftover"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Config configures a Backend.
type Config struct {
	// Name is kind's name of the cluster. Containers are named after it, so it
	// must be the only one of the engine.
	Name string
	// Dir holds what the cluster writes to this host: its lock, and what is
	// mounted into the machines. Only its owner can read it.
	Dir string
	// Engine runs the containers: see engine.Find.
	Engine *engine.Engine
	// Image is the node image: see nodeimage.Resolve.
	Image string
	// ControlPlaneNode makes the control plane a Node, too, which a CCM that
	// runs in the cluster needs. Without it the control plane is as a managed
	// one: its machine is hidden.
	ControlPlaneNode bool
	// Progress, if any, is told what happens, a line at a time.
	Progress func(string)
}

// Backend is a control plane with its nodes. It is used once: started, then stopped.
type Backend struct {
	Config
	dir  layout
	kind *cluster.Provider

	life  context.Context // ends with Stop
	end   context.CancelFunc
	boots sync.WaitGroup // nodes on their way

	mu       sync.Mutex // guards what follows
	state    state
	claimed  *leftover.Claim
	network  *network
	plane    *plane
	nodes    map[string]*node // those that run; nil while one boots
	disks    map[string]disk  // of the machines that were booted, on or off
	archives []string         // images for every node
	changed  chan struct{}    // closed and replaced whenever the nodes that run change
}

type state int

const (
	fresh state = iota
	running
	stopped
)

// plane is a control plane that runs.
type plane struct {
	name      string // of its container
	server    string // of the API, for the machines
	admin     *rest.Config
	kube      kubernetes.Interface
	authority authority
	kubelet   map[string]any // the configuration of every kubelet
	factor    float64        // see Backend.Factor
}

var _ e2e.Backend = (*Backend)(nil)

// New returns a backend that is not started.
func New(c Config) (*Backend, error) {
	switch {
	case !isHostname(c.Name, maxHostname-len("-"+controlPlaneName)):
		return nil, invalid("Name: %q must be of a-z, 0-9, . and -, and at most %d of them", c.Name, maxHostname-len("-"+controlPlaneName))
	case c.Dir == "":
		return nil, invalid("Dir: must be given")
	case c.Engine == nil:
		return nil, invalid("Engine: must be given")
	case c.Image == "":
		return nil, invalid("Image: must be given")
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("directory of the cluster: %w", err)
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	b := &Backend{Config: c, dir: layout(dir), nodes: map[string]*node{}, disks: map[string]disk{}, changed: make(chan struct{})}
	b.kind = cluster.NewProvider(c.Engine.Provider(), cluster.ProviderWithLogger(&logger{tell: c.Progress}))
	b.life, b.end = context.WithCancel(context.Background())
	return b, nil
}

// maxHostname is how long the name of a machine may be for itself.
const maxHostname = 63

// isHostname reports whether a container can have this name, and the machine in it, too.
func isHostname(name string, longest int) bool {
	return len(name) <= longest && regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`).MatchString(name)
}

func invalid(format string, args ...any) error {
	return simcloud.Errorf(simcloud.Invalid, "backend/kind", format, args...)
}

// Name returns "kind".
func (b *Backend) Name() string { return "kind" }

// Capabilities has all that machines of their own can do, and whether the control plane is a Node.
func (b *Backend) Capabilities() e2e.Capabilities {
	can := e2e.Capabilities{
		Network: b.Network, Packets: true, FollowCloud: b.FollowCloud,
		LoadImage: b.LoadImage, Exec: b.Exec,
		Discard: b.Discard, Cut: b.Cut, Join: b.Join,
		RestartAPIServer: b.RestartAPIServer, Factor: b.Factor,
	}
	if b.ControlPlaneNode {
		can.ControlPlaneNode, can.JoinControlPlane = b.controlPlane(), b.JoinControlPlane
	}
	return can
}

// Start starts the control plane and returns an admin's access to it.
func (b *Backend) Start(ctx context.Context) (*rest.Config, error) {
	if _, err := b.Network(ctx); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != fresh {
		return nil, simcloud.Errorf(simcloud.Conflict, "backend/kind", "was started before; a backend is used once")
	}
	p, err := b.startPlane(ctx)
	if err != nil {
		return nil, err
	}
	b.plane, b.state = p, running
	return rest.CopyConfig(p.admin), nil
}

// Stop removes the nodes, the control plane and their network. The end of ctx does not keep it from that.
func (b *Backend) Stop(ctx context.Context) error {
	b.end()
	b.mu.Lock()
	b.state = stopped
	b.mu.Unlock()
	b.boots.Wait()

	b.mu.Lock()
	claimed, nodes := b.claimed, slices.Collect(maps.Values(b.nodes))
	b.mu.Unlock()
	if claimed == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removal)
	defer cancel()
	err := b.remove(ctx)
	for _, n := range nodes {
		<-n.done
	}
	if err != nil {
		return fmt.Errorf("remove the cluster %s (simcloud down does it): %w", b.Config.Name, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.claimed = nil
	return errors.Join(b.dir.empty(), claimed.Release())
}

// nominalStart is how long kind takes to make a control plane on two cores that carry another
// cluster too, which the default bounds leave room for. Two idle cores need 15 s.
const nominalStart = 25 * time.Second

// Factor says how many times slower this machine was when kind made the control
// plane than two cores that carry one other cluster, from 1. It is 1 before the start.
func (b *Backend) Factor() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.plane == nil {
		return 1
	}
	return b.plane.factor
}

// removal bounds the removal of a cluster.
const removal = 2 * time.Minute

// remove removes all containers of the cluster, at once, and then its network.
func (b *Backend) remove(ctx context.Context) error {
	containers, err := b.Engine.List(ctx, engine.KindClusterLabel+"="+b.Config.Name)
	if err != nil {
		return err
	}
	errs := make([]error, len(containers))
	var all sync.WaitGroup
	for i, c := range containers {
		all.Go(func() { errs[i] = b.Engine.Remove(ctx, c.Name) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil || b.network == nil {
		return err
	}
	return b.Engine.RemoveNetwork(ctx, b.network.name)
}
