// Package existing runs scenarios on a cluster that exists already, such as a
// developer's own.
//
// The machines of the cloud are hollow nodes in it: they register, report and run
// simulated pods. While they are there the cluster's own pods may be
// put on them. All that is made carries a label, and nothing else is ever
// removed; a cluster that looks like production is refused.
package existing

import (
	"context"
	"errors"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/sweep"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// LabelRun is the label of all that is made in an existing cluster. Its value
// is the run's.
const LabelRun = "sim.simcloud.dev/run"

// Config says which cluster.
type Config struct {
	// Kubeconfig is the file with the access to it; empty for the one that kubectl would use.
	Kubeconfig string
	// Context names the context of it; empty for the current one.
	Context string
	// Confirm must be the name of the context: who gives it has looked.
	Confirm string
	// Run names this run; it must be another one each time.
	Run string
	// Records is the folder that remembers what is to be removed after a crash: see RemoveLeft.
	Records string
}

// Backend is an existing cluster. It is used once: started, then stopped.
type Backend struct {
	run    string
	target target
	folder string

	mu     sync.Mutex // guards what follows
	used   bool
	access *rest.Config
	record *record
	claim  bool // whether the cluster may be this run's
}

var _ e2e.Backend = (*Backend)(nil)

// New reads the kubeconfig, and makes no call yet. It answers Invalid for a
// context that was not confirmed, or whose names or server look like production.
func New(c Config) (*Backend, error) {
	if c.Run == "" || c.Records == "" {
		return nil, simcloud.Errorf(simcloud.Invalid, "backend/existing", "Run and Records: must be given")
	}
	t, err := loadTarget(c.Kubeconfig, c.Context)
	if err != nil {
		return nil, err
	}
	if err := t.check(c.Confirm); err != nil {
		return nil, err
	}
	return &Backend{run: c.Run, target: t, folder: c.Records}, nil
}

// Name returns "existing".
func (b *Backend) Name() string { return "existing" }

// Capabilities has none but that the cluster is shared.
func (b *Backend) Capabilities() e2e.Capabilities {
	return e2e.Capabilities{SharedCluster: &e2e.SharedCluster{Mark: b.Mark()}}
}

// Mark is the label of all that this run makes.
func (b *Backend) Mark() sweep.Mark { return sweep.Mark{Key: LabelRun, Value: b.run} }

// Start looks at the cluster and takes it for this run. It answers Invalid for
// one that it should not touch, and Conflict when another run has it.
func (b *Backend) Start(ctx context.Context) (*rest.Config, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used {
		return nil, simcloud.Errorf(simcloud.Conflict, "backend/existing", "was started before; a backend is used once")
	}
	b.used = true
	kube, err := b.inspected(ctx)
	if err != nil {
		return nil, err
	}
	if b.record, err = writeRecord(b.folder, b.run, b.target); err != nil {
		return nil, err
	}
	b.access = marking(b.target.access, b.Mark())
	err = takeClaim(ctx, kube, b.run)
	b.claim = !errors.Is(err, simcloud.Conflict) // whose answer was lost may have it
	if err != nil {
		return nil, err
	}
	return b.access, nil
}

// Inspect looks at the cluster, and answers as Start would for one that it would not take.
func (b *Backend) Inspect(ctx context.Context) error {
	_, err := b.inspected(ctx)
	return err
}

func (b *Backend) inspected(ctx context.Context) (kubernetes.Interface, error) {
	kube, err := kubernetes.NewForConfig(b.target.access)
	if err != nil {
		return nil, invalidContext(b.target.context, err.Error())
	}
	if err := inUse(ctx, kube); errors.Is(err, simcloud.Conflict) { // whatever else there is, is that run's
		return nil, err
	}
	return kube, b.target.inspect(ctx, kube)
}

// StartNode answers Unimplemented: the machines of a guest are hollow nodes.
func (b *Backend) StartNode(_ context.Context, spec machine.Spec) (machine.Node, error) {
	return nil, simcloud.Errorf(simcloud.Unimplemented, "node/"+spec.Name, "a kubelet cannot be started in an existing cluster")
}

// Stop removes all that this run has made. What it cannot remove, RemoveLeft can later.
func (b *Backend) Stop(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.record == nil {
		return nil
	}
	var err error
	if b.claim {
		err = leave(ctx, b.access, b.Mark())
	}
	end := b.record.remove
	if err != nil {
		end = b.record.release
	}
	b.record = nil
	return errors.Join(err, end())
}

// Logs writes none: the control plane is not ours.
func (b *Backend) Logs(context.Context, string) error { return nil }
