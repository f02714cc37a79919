package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kind/pkg/cluster"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// startPlane has kind make the control plane, and takes it off its own cluster.
func (b *Backend) startPlane(ctx context.Context) (*plane, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.life, func() { cancel(errStopped()) })()

	p := &plane{name: b.controlPlane()}
	if err := b.createWithKind(ctx, p); err != nil {
		return nil, fmt.Errorf("create the cluster %s with kind: %w", b.Config.Name, err)
	}
	for _, read := range []func(context.Context, *plane) error{b.readAccess, b.readAddress, b.readFiles} {
		if err := read(ctx, p); err != nil {
			return nil, fmt.Errorf("read the access to the control plane: %w", err)
		}
	}
	if err := p.settle(ctx); err != nil {
		return nil, err
	}
	if b.ControlPlaneNode {
		return p, nil // until JoinControlPlane it is kubeadm's
	}
	if err := b.standAlone(ctx, p); err != nil {
		return nil, fmt.Errorf("take the control plane's machine out of the cluster: %w", err)
	}
	return p, nil
}

func errStopped() error {
	return simcloud.Errorf(simcloud.Unavailable, "backend/kind", "the cluster was stopped")
}

// controlPlane is how kind names the container of the control plane.
func (b *Backend) controlPlane() string { return b.Config.Name + "-" + controlPlaneName }

const controlPlaneName = "control-plane"

// createWithKind creates a cluster of one node, and measures the machine by it. kind knows no context: when
// ctx ends, the container is taken from under it, whenever it makes it.
func (b *Backend) createWithKind(ctx context.Context, p *plane) error {
	if err := b.pullImage(ctx); err != nil {
		return err
	}
	config, began := b.kindConfig(), time.Now()
	err := withNetwork(ctx, b.Engine.NetworkVariable(), b.network.name, b.Engine.Name(), func() error {
		defer whileEnding(ctx, func() {
			undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), removal)
			defer cancel()
			_ = b.Engine.Remove(undo, b.controlPlane()) // what is left then, Stop removes
		})()
		return explain(b.kind.Create(b.Config.Name,
			cluster.CreateWithV1Alpha4Config(config),
			cluster.CreateWithKubeconfigPath(b.dir.kubeconfig()),
			cluster.CreateWithRetain(true), // Stop removes it
		))
	})
	p.factor = e2e.FactorOf(time.Since(began), nominalStart)
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return b.why(ctx, b.controlPlane(), err)
}

// pullImage fetches the node image where the engine has none: kind would do
// so, too, but would not end with ctx.
func (b *Backend) pullImage(ctx context.Context) error {
	there, err := b.Engine.ImageExists(ctx, b.Image)
	if err != nil || there {
		return err
	}
	b.Progress("pulling the node image " + b.Image)
	if err := b.Engine.Pull(ctx, b.Image); err != nil {
		return fmt.Errorf("pull the node image %s (where no registry has it: simcloud node-image build): %w", b.Image, err)
	}
	return nil
}

// readAccess reads the admin's access to the API.
func (b *Backend) readAccess(_ context.Context, p *plane) error {
	raw, err := b.kind.KubeConfig(b.Config.Name, false)
	if err != nil {
		return err
	}
	if p.admin, err = clientcmd.RESTConfigFromKubeConfig([]byte(raw)); err != nil {
		return err
	}
	p.admin.QPS, p.admin.Burst = -1, -1
	p.kube, err = kubernetes.NewForConfig(p.admin)
	return err
}

// readAddress reads where the machines find the API.
func (b *Backend) readAddress(ctx context.Context, p *plane) error {
	container, err := b.Engine.Inspect(ctx, p.name)
	if err != nil {
		return err
	}
	addresses := container.Networks[b.network.name].Addresses
	if len(addresses) == 0 {
		return simcloud.Errorf(simcloud.Unavailable, "backend/kind", "the container %s has no address in the network %s", p.name, b.network.name)
	}
	p.server = fmt.Sprintf("https://%s:6443", addresses[0])
	return nil
}

// readFiles reads what kubeadm made for kubelets: the CA that their
// certificates come from, and their configuration.
func (b *Backend) readFiles(ctx context.Context, p *plane) error {
	var files [3][]byte
	for i, path := range []string{"/etc/kubernetes/pki/ca.crt", "/etc/kubernetes/pki/ca.key", kubeletConfigFile} {
		content, err := b.Engine.Exec(ctx, p.name, nil, "cat", path)
		if err != nil {
			return err
		}
		files[i] = content
	}
	var err error
	if p.authority, err = parseAuthority(files[0], files[1]); err != nil {
		return err
	}
	if p.kubelet, err = parseKubeletConfig(files[2]); err != nil {
		return err
	}
	return p.becomeAdmin(time.Now())
}

// becomeAdmin makes the admin's access one that the CCM lets in, too. The one
// that kubeadm writes is in a group that only the API server knows.
func (p *plane) becomeAdmin(now time.Time) (err error) {
	pair, err := p.authority.admin(now)
	if err != nil {
		return err
	}
	p.admin.CertData, p.admin.KeyData = pair.Cert, pair.Key
	p.kube, err = kubernetes.NewForConfig(p.admin)
	return err
}

// patience bounds what takes a moment, on a machine that does much else.
const patience = 2 * time.Minute

// environment guards the variable that kind reads: who has put something into
// it has the variable. The environment is the process's, and so must its lock be.
var environment = make(chan struct{}, 1)

// withNetwork does what makes kind put its node into a network. kind has no
// other way to be told than by a variable of this process; clusters are made one after
// the other. The end of ctx ends the wait for one's turn.
func withNetwork(ctx context.Context, variable, network, engine string, do func() error) error {
	if variable == "" {
		return simcloud.Errorf(simcloud.Unimplemented, "engine/"+engine, "kind cannot put its nodes into another network than its own with %s: use docker or podman", engine)
	}
	select {
	case environment <- struct{}{}:
		defer func() { <-environment }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // also when both could go on
		return context.Cause(ctx)
	}
	before, was := os.LookupEnv(variable)
	if err := os.Setenv(variable, network); err != nil {
		return err
	}
	err := do()
	if !was {
		return errors.Join(err, os.Unsetenv(variable))
	}
	return errors.Join(err, os.Setenv(variable, before))
}

// endingPeriod is how often something is ended that does not know that it has to.
const endingPeriod = 200 * time.Millisecond

// whileEnding calls act again and again from the end of ctx on, until the
// caller says that it is done.
func whileEnding(ctx context.Context, act func()) (done func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-ctx.Done():
		case <-quit:
			return
		}
		tick := time.NewTicker(endingPeriod)
		defer tick.Stop()
		for {
			act()
			select {
			case <-tick.C:
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-gone
	}
}

// RestartAPIServer kills the API server and returns when the next one serves,
// which the control plane's kubelet starts. etcd runs on, so that nothing is lost.
func (b *Backend) RestartAPIServer(ctx context.Context) error {
	b.mu.Lock()
	p, state := b.plane, b.state
	b.mu.Unlock()
	if state != running {
		return simcloud.Errorf(simcloud.Conflict, "backend/kind", "the control plane is not running")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	const kill = `pid=$(pgrep -x -o kube-apiserver) && kill -KILL $pid && while kill -0 $pid 2>/dev/null; do sleep 0.05; done`
	if _, err := b.Engine.Exec(ctx, p.name, nil, "sh", "-c", kill); err != nil {
		return fmt.Errorf("kill the API server: %w", err)
	}
	return p.awaitReady(ctx)
}

// readyPeriod is how often it is asked whether the API server serves.
const readyPeriod = 100 * time.Millisecond

func (p *plane) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(readyPeriod)
	defer tick.Stop()
	for {
		_, err := p.kube.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the API server does not serve: %w", err)
		}
	}
}
