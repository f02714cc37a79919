package kind

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// StartNode boots a machine: with the disk that it had when it was the same
// instance's before, else with a new one. It returns when the kubelet runs. Stop ends the boot.
func (b *Backend) StartNode(ctx context.Context, spec machine.Spec) (machine.Node, error) {
	p, err := b.reserve(spec)
	if err != nil {
		return nil, err
	}
	defer b.boots.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.life, func() { cancel(errStopped()) })()

	n, err := b.startNode(ctx, p, spec)
	b.settle(spec.Name, n)
	if err != nil {
		return nil, fmt.Errorf("boot node %s: %w", spec.Name, err)
	}
	return n, nil
}

// reserve takes the name for a node that boots.
func (b *Backend) reserve(spec machine.Spec) (*plane, error) {
	ref := "node/" + spec.Name
	if spec.Name == controlPlaneName || !isHostname(spec.Name, maxHostname) {
		return nil, simcloud.Errorf(simcloud.Invalid, ref, "%q cannot be the name of a machine: at most %d of a-z, 0-9, . and -, other than %s, can", spec.Name, maxHostname, controlPlaneName)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != running {
		return nil, simcloud.Errorf(simcloud.Unavailable, ref, "the control plane is not running")
	}
	for _, a := range spec.Addresses {
		if !b.network.instances().Contains(a) {
			return nil, simcloud.Errorf(simcloud.Invalid, ref, "%s is not of the machines' network %s: only instances of the cloud's default network can be machines here", a, b.network.instances())
		}
	}
	if old, taken := b.nodes[spec.Name]; taken && (old == nil || !old.gone()) {
		return nil, simcloud.Errorf(simcloud.AlreadyExists, ref, "a node of this name runs")
	}
	b.nodes[spec.Name] = nil
	b.boots.Add(1)
	return b.plane, nil
}

// settle replaces the reservation by the node, if it booted.
func (b *Backend) settle(name string, n *node) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.nodes, name)
	if n != nil {
		b.nodes[name] = n
	}
	b.changedLocked()
}

func (b *Backend) startNode(ctx context.Context, p *plane, spec machine.Spec) (*node, error) {
	container, kept, err := b.keptContainer(ctx, spec)
	if err != nil {
		return nil, err
	}
	if err := p.writeMachine(b.dir.node(spec.Name), spec); err != nil {
		return nil, err
	}
	if kept {
		err = b.bootKept(ctx, spec, container)
	} else {
		err = b.bootFresh(ctx, spec)
	}
	if err != nil {
		return nil, err
	}
	n := b.newNode(p, spec)
	if err := b.awaitKubelet(ctx, n); err != nil {
		return nil, errors.Join(b.why(ctx, n.container, err), n.Kill())
	}
	return n, nil
}

// bootFresh makes the container.
func (b *Backend) bootFresh(ctx context.Context, spec machine.Spec) error {
	b.noteDisk(spec)
	name, dir := b.container(spec.Name), b.dir.node(spec.Name)
	labels := b.claimed.Labels()
	labels[engine.KindClusterLabel], labels[engine.KindRoleLabel] = b.Config.Name, "worker"
	labels[LabelInstance] = string(spec.Instance)
	return b.Engine.Run(ctx, engine.RunSpec{
		Name: name, Image: b.Image, Hostname: spec.Name, Labels: labels,
		Network: b.network.name, Addresses: spec.Addresses,
		Flags: slices.Concat(b.Engine.NodeFlags(name, false), machineMounts(dir)),
	})
}

// LabelInstance is the label of a container that names the machine's instance.
const LabelInstance = "dev.simcloud.instance"

// bootKept starts the container that is there, at the addresses that its
// instance has by now. It may be cut off still.
func (b *Backend) bootKept(ctx context.Context, spec machine.Spec, container engine.Container) error {
	_, connected := container.Networks[b.network.name]
	moved := !slices.Equal(b.moveDisk(spec), spec.Addresses)
	if connected && moved {
		if err := b.Engine.Disconnect(ctx, b.network.name, container.ID); err != nil {
			return err
		}
	}
	if !connected || moved {
		if err := b.Engine.Connect(ctx, b.network.name, container.ID, spec.Addresses...); err != nil {
			return err
		}
	}
	return b.Engine.Start(ctx, container.ID)
}

// awaitKubelet returns when the images for every node are there, and the kubelet runs.
func (b *Backend) awaitKubelet(ctx context.Context, n *node) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, simcloud.Errorf(simcloud.Unavailable, "node/"+n.spec.Name, "its kubelet is not running after %s", patience))
	defer cancel()
	if err := b.Engine.AwaitLog(ctx, n.container, regexp.MustCompile(cgroupsReady)); err != nil {
		return err
	}
	if err := b.loadMissing(ctx, n); err != nil {
		return err
	}
	const wait = `until curl --silent --fail --output /dev/null http://127.0.0.1:10248/healthz; do sleep 0.2; done`
	_, err := b.Engine.Exec(ctx, n.container, nil, "sh", "-c", wait)
	return err
}

// cgroupsReady is what a node's first process writes when others may be run
// beside it: before that, they would be in its way with cgroups of version 2.
const cgroupsReady = `Reached target .*Multi-User System.*|detected cgroup v1`

// container is the name of a machine's container.
func (b *Backend) container(node string) string { return b.Config.Name + "-" + node }
