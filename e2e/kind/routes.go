package kind

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/mirror"
)

// routeNodes are where routes are made.
type routeNodes interface {
	// Exec runs a program on a node.
	Exec(ctx context.Context, node string, stdin io.Reader, argv ...string) ([]byte, error)
	// NodeNames names the nodes that programs can be run on now, in order,
	// without that of the control plane.
	NodeNames(ctx context.Context) ([]string, error)
	// NodesChanged returns a channel that is closed when any node may have lost its routes.
	NodesChanged() <-chan struct{}
}

// routeMaker makes the routes of a cloud's route tables real on nodes: where
// packets between the pods of two nodes go is then for whoever makes those routes.
type routeMaker struct {
	cloud *mirror.Mirror
	nodes routeNodes
	tell  func(string) // of what failed
	// patience bounds what is done on one node, as one that is frozen meanwhile
	// never ends it, and the others wait.
	patience time.Duration

	done   map[string][]route // by node: what was made, as far as that is known
	failed map[string]int     // by node: attempts in a row
}

// The pauses between attempts to make what could not be made, and how long an attempt may take.
const (
	routeRetryMin = 250 * time.Millisecond
	routeRetryMax = 2 * time.Second // as long as one that was thawed may lack them
	routePatience = 10 * time.Second
)

func newRouteMaker(cloud *mirror.Mirror, nodes routeNodes, tell func(string)) *routeMaker {
	return &routeMaker{
		cloud: cloud, nodes: nodes, tell: tell, patience: routePatience,
		done: map[string][]route{}, failed: map[string]int{},
	}
}

// run makes routes until ctx is done.
func (m *routeMaker) run(ctx context.Context) {
	pause := routeRetryMin
	retry := time.NewTimer(0) // what there is at first
	defer retry.Stop()
	changed := m.nodes.NodesChanged()
	for {
		select {
		case <-m.cloud.Changed():
			pause = routeRetryMin
		case <-changed:
			changed = m.nodes.NodesChanged() // before it is looked at the nodes: no change is missed
			clear(m.done)
			pause = routeRetryMin
		case <-retry.C:
			pause = min(2*pause, routeRetryMax)
		case <-ctx.Done():
			return
		}
		if !m.makeAll(ctx) {
			retry.Reset(pause)
		}
	}
}

// makeAll makes the routes of all nodes that do not have theirs, and reports whether all have now.
func (m *routeMaker) makeAll(ctx context.Context) bool {
	names, err := m.nodes.NodeNames(ctx)
	if err != nil {
		return false
	}
	var due []string
	wanted := routesOf(m.cloud.View(), names)
	for _, name := range names {
		if done, known := m.done[name]; !known || !slices.Equal(done, wanted[name]) {
			due = append(due, name)
		}
	}
	errs := make([]error, len(due))
	var making sync.WaitGroup
	for i, name := range due {
		making.Go(func() { errs[i] = m.makeOn(ctx, name, wanted[name]) })
	}
	making.Wait()
	return m.note(due, wanted, errs)
}

// makeOn makes the routes of one node.
func (m *routeMaker) makeOn(ctx context.Context, node string, wanted []route) error {
	ctx, cancel := context.WithTimeout(ctx, m.patience)
	defer cancel()
	return syncRoutes(ctx, func(ctx context.Context, stdin io.Reader, argv ...string) ([]byte, error) {
		return m.nodes.Exec(ctx, node, stdin, argv...)
	}, wanted)
}

// routeAttempts is how often it may fail to make routes on a node before that
// is told: one that goes down, is frozen or is cut off takes none for a moment.
const routeAttempts = 5

// note remembers what was made, tells of what goes on failing, and reports whether nothing failed.
func (m *routeMaker) note(names []string, made map[string][]route, errs []error) bool {
	well := true
	for i, name := range names {
		if errs[i] == nil {
			m.done[name] = made[name]
			delete(m.failed, name)
			continue
		}
		well = false
		delete(m.done, name)
		if m.failed[name]++; m.failed[name] == routeAttempts {
			m.tell(fmt.Sprintf("routes of %s: %v", name, errs[i]))
		}
	}
	return well
}

// FollowCloud makes the routes of the cloud's route tables real in the
// containers, from now until Stop.
func (b *Backend) FollowCloud(ctx context.Context, cloud mirror.Cloud) error {
	copied, err := mirror.Open(ctx, cloud, nil)
	if err != nil {
		return fmt.Errorf("read the cloud's routes: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != running {
		return errStopped()
	}
	maker := newRouteMaker(copied, everyNode{b}, b.Progress)
	b.boots.Go(func() { copied.Run(b.life) })
	b.boots.Go(func() { maker.run(b.life) })
	return nil
}

// everyNode has the control plane among the nodes: what it asks of pods takes the same way.
type everyNode struct{ *Backend }

// NodeNames names the machines that run, and that of the control plane.
func (e everyNode) NodeNames(ctx context.Context) ([]string, error) {
	names, err := e.Backend.NodeNames(ctx)
	return append(names, e.controlPlane()), err
}
