package embedded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// node is a kubelet process.
type node struct{ *process.Process }

// Freeze suspends the kubelet.
func (n *node) Freeze() error { return n.Pause() }

// Thaw lets a frozen kubelet go on.
func (n *node) Thaw() error { return n.Resume() }

// StartNode boots a kubelet with certificates and a disk of its own. A node of
// that name must not run. Stop ends the boot.
func (b *Backend) StartNode(ctx context.Context, spec machine.Spec) (machine.Node, error) {
	p, err := b.reserve(spec.Name)
	if err != nil {
		return nil, err
	}
	defer b.boots.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.life, func() { cancel(errStopped) })()

	n, err := p.startNode(ctx, spec)
	if process.LostPort(err) {
		n, err = p.startNode(ctx, spec)
	}
	b.settle(spec.Name, n)
	if err != nil {
		return nil, fmt.Errorf("boot node %s: %w", spec.Name, err)
	}
	return n, nil
}

var errStopped = errors.New("the control plane was stopped")

// reserve takes the name for a node that boots.
func (b *Backend) reserve(name string) (*plane, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != running {
		return nil, simcloud.Errorf(simcloud.Unavailable, "node/"+name, "the control plane is not running")
	}
	if old, taken := b.nodes[name]; taken && (old == nil || !old.gone()) {
		return nil, simcloud.Errorf(simcloud.AlreadyExists, "node/"+name, "a node of this name runs")
	}
	b.nodes[name] = nil
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
}

func (n *node) gone() bool {
	select {
	case <-n.Done():
		return true
	default:
		return false
	}
}

func (p *plane) startNode(ctx context.Context, spec machine.Spec) (*node, error) {
	file := "node-" + spec.Name
	if _, err := p.certs.issue(file, nodeIdentity(spec.Name), time.Now()); err != nil {
		return nil, err
	}
	kubeconfig, err := p.certs.writeKubeconfig(file, p.server())
	if err != nil {
		return nil, err
	}
	port, err := process.FreePort()
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(p.dir.node(spec.Name)); err != nil {
		return nil, err
	}
	proc, err := process.Start(ctx, process.Spec{
		Name:    "kubelet of " + spec.Name,
		Path:    p.kube,
		Args:    p.kubeletArgs(spec, file, kubeconfig, port),
		Dir:     string(p.dir),
		LogFile: p.dir.log(file),
		Ready:   process.HTTPReady(local(port, "/healthz"), p.client),
	})
	if err != nil {
		return nil, err
	}
	return &node{Process: proc}, nil
}

func (p *plane) kubeletArgs(spec machine.Spec, file, kubeconfig string, port int) []string {
	args := []string{
		"sandbox-kubelet",
		"--name=" + spec.Name,
		"--kubeconfig=" + kubeconfig,
		"--root-dir=" + p.dir.node(spec.Name),
		fmt.Sprintf("--port=%d", port),
		"--tls-cert-file=" + p.dir.file(file+".crt"), "--tls-private-key-file=" + p.dir.file(file+".key"),
		"--client-ca-file=" + p.dir.file("ca.crt"),
	}
	if len(spec.NodeIPs) > 0 {
		args = append(args, "--node-ip="+strings.Join(spec.NodeIPs, ","))
	}
	if len(spec.Labels) > 0 {
		args = append(args, "--node-labels="+labelList(spec.Labels))
	}
	return args
}

// labelList writes labels as the flag takes them, in a stable order.
func labelList(labels map[string]string) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, key+"="+labels[key])
	}
	return strings.Join(list, ",")
}
