package simulated

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/simulated/controllermanager"
	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// Name is the name of the backend.
const Name = "simulated"

// What the control plane of this backend has in common with that of the embedded one.
const (
	nodeGrace    = 4 * time.Second
	nodeMonitor  = 500 * time.Millisecond
	nodeMaskSize = 24
)

// Config configures a Backend.
type Config struct {
	// Seed is what the UIDs of objects follow from.
	Seed uint64
	// Pace says how often machines report; the zero value is that of [e2e.DefaultTimings].
	Pace machine.Pace
	// Log gets what happens; nil discards it.
	Log *slog.Logger
}

// Backend is a simulated control plane, with hollow nodes. It is used once, in one bubble.
type Backend struct {
	pace    machine.Pace
	log     *slog.Logger
	network *wire.Network
	api     *kubeapi.Server

	mu          sync.Mutex // guards what follows
	address     string     // of the API server; empty before Start
	kube        kubernetes.Interface
	transport   *http.Transport
	stop        context.CancelFunc // ends the controllers; nil when none run
	controllers sync.WaitGroup
	nodes       map[string]machine.Node
}

var _ e2e.Backend = (*Backend)(nil)

// New returns a backend that is not started.
func New(c Config) *Backend {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Pace == (machine.Pace{}) {
		t := e2e.DefaultTimings()
		c.Pace = machine.Pace{Heartbeat: t.Heartbeat, Lease: t.NodeLease}
	}
	return &Backend{
		pace: c.Pace, log: c.Log, network: wire.New(), api: kubeapi.New(kubeapi.Config{Seed: c.Seed}), nodes: map[string]machine.Node{},
	}
}

// Name returns "simulated".
func (*Backend) Name() string { return Name }

// Capabilities has what parts of one process can do.
func (b *Backend) Capabilities() e2e.Capabilities {
	return e2e.Capabilities{
		Wire: b.network, RunProvider: runProvider, RestartAPIServer: b.restartAPIServer, Asked: b.asked,
		Lag:     func(lag control.Lag) error { return b.api.Lag(manager.User, lag) },
		CatchUp: func() { b.api.CatchUp(manager.User) },
	}
}

// Start starts the control plane and returns an admin's access to it.
func (b *Backend) Start(ctx context.Context) (*rest.Config, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.address != "" {
		return nil, simcloud.Errorf(simcloud.Conflict, "backend/"+Name, "was started before; a backend is used once")
	}
	listener, err := b.network.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the simulated API server: %w", err)
	}
	b.address = listener.Addr().String()
	b.api.Serve(listener)
	b.transport = b.network.Transport()
	access := &rest.Config{Host: "http://" + b.address, BearerToken: b.api.AdminToken(), Transport: b.transport, QPS: -1}
	access.ContentType = runtime.ContentTypeProtobuf
	if b.kube, err = kubernetes.NewForConfig(access); err != nil {
		return nil, err
	}
	access = rest.CopyConfig(access)
	access.ContentType = ""
	return access, b.startControllers()
}

// startControllers starts what kube-controller-manager does.
func (b *Backend) startControllers() error {
	local := b.api.Local("kube-controller-manager")
	local.ContentType = runtime.ContentTypeProtobuf
	kube, err := kubernetes.NewForConfig(local)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	b.stop = stop
	m := controllermanager.New(controllermanager.Config{
		Kube: kube, Objects: b.api.DB(), PodRange: netip.MustParsePrefix(e2e.ClusterCIDR), NodeMask: nodeMaskSize,
		Grace: nodeGrace, Monitor: nodeMonitor, Log: b.log,
	})
	b.controllers.Go(func() { m.Run(ctx) })
	return nil
}

// StartNode boots a hollow node, whose Node is there when it returns.
func (b *Backend) StartNode(ctx context.Context, spec machine.Spec) (machine.Node, error) {
	kube, err := b.reserve(spec.Name)
	if err != nil {
		return nil, err
	}
	n, err := machine.StartHollow(ctx, kube, machine.HollowSpec{Spec: spec}, b.pace, b.log)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nodes[spec.Name] = n
	return n, nil
}

// reserve returns the client for a node that boots; a node of that name must not run.
func (b *Backend) reserve(name string) (kubernetes.Interface, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop == nil {
		return nil, simcloud.Errorf(simcloud.Unavailable, "node/"+name, "the control plane is not running")
	}
	if old := b.nodes[name]; old != nil {
		select {
		case <-old.Done():
		default:
			return nil, simcloud.Errorf(simcloud.AlreadyExists, "node/"+name, "a node of this name runs")
		}
	}
	return b.kube, nil
}

// Stop ends the nodes and the control plane.
func (b *Backend) Stop(context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop == nil {
		return nil
	}
	for _, n := range b.nodes {
		_ = n.Kill() // of a hollow node it has no errors
	}
	b.stop()
	b.stop = nil
	b.controllers.Wait()
	err := b.api.Close()
	b.transport.CloseIdleConnections()
	return err
}

// restartAPIServer cuts all connections and serves again at the same address.
func (b *Backend) restartAPIServer(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop == nil {
		return simcloud.Errorf(simcloud.Conflict, "backend/"+Name, "the control plane is not running")
	}
	if err := b.api.Close(); err != nil {
		return err
	}
	listener, err := b.network.Listen(ctx, b.address)
	if err != nil {
		return err
	}
	b.api.Serve(listener)
	return nil
}

// asked lists what the CCM has asked of the API server since a time.
func (b *Backend) asked(since time.Time) ([]string, error) {
	var all []string
	for _, r := range b.api.Requests(since) {
		if r.User != manager.User {
			continue
		}
		text := r.Verb + " " + strings.TrimSuffix(r.Resource+"/"+r.Subresource, "/")
		if r.Code == http.StatusUnauthorized || r.Code == http.StatusForbidden {
			text += fmt.Sprintf(" (%d)", r.Code)
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all, nil
}

// Logs writes what the CCM has asked of the API server, a line for each request.
func (b *Backend) Logs(_ context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("logs of the control plane: %w", err)
	}
	file, err := os.Create(filepath.Join(dir, "kube-apiserver.log"))
	if err != nil {
		return fmt.Errorf("logs of the control plane: %w", err)
	}
	writeRequests(file, b.api.Requests(time.Time{}))
	return file.Close()
}

func writeRequests(to io.Writer, requests []kubeapi.Request) {
	for _, r := range requests {
		_, _ = fmt.Fprintf(to, "%s %s %s %s/%s %d\n", r.Time.Format(time.RFC3339Nano), r.User, r.Verb, r.Resource, r.Subresource, r.Code)
	}
}
