package backendtest_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// backend keeps all promises of a Backend without a process, but for what a test changes.
type backend struct {
	api    apiServer
	server *httptest.Server

	name        string
	stray       string                  // a Node that is there from the start
	startsTwice bool                    // without an error
	stopsOnce   bool                    // and fails the second time
	undead      bool                    // whether nodes boot after the stop
	leaves      bool                    // whether a process is left after the stop
	twins       bool                    // whether nodes of one name boot
	recreates   bool                    // whether a boot makes the Node again
	deaf        map[string]bool         // what a kubelet goes on through: freeze, cut, stop, kill
	edit        func(*corev1.Node)      // changes a Node that registers
	can         func(*e2e.Capabilities) // changes what it can do
	logs        map[string]string       // what Logs writes, by file
	why         string                  // of a loss

	mu    sync.Mutex
	ended bool
	nodes map[string]*kubelet
	lost  chan struct{}
	err   error
}

func newBackend() *backend {
	return &backend{
		api: apiServer{objects: map[string]any{}}, nodes: map[string]*kubelet{}, lost: make(chan struct{}),
		name: "fake", edit: func(*corev1.Node) {}, can: func(*e2e.Capabilities) {}, deaf: map[string]bool{},
		logs: map[string]string{"node-node-1.log": "all good"}, why: "the scheduler has ended",
	}
}

func (b *backend) Name() string { return b.name }

func (b *backend) Start(context.Context) (*rest.Config, error) {
	if b.server != nil && !b.startsTwice {
		return nil, simcloud.Errorf(simcloud.Conflict, "", "it runs")
	}
	if b.server == nil {
		if b.stray != "" {
			b.api.register(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: b.stray}})
		}
		b.server = httptest.NewServer(&b.api)
	}
	return &rest.Config{Host: b.server.URL}, nil
}

func (b *backend) StartNode(_ context.Context, spec machine.Spec) (machine.Node, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended && !b.undead {
		return nil, errors.New("the control plane was stopped")
	}
	if b.nodes[spec.Name] != nil && !b.twins {
		return nil, errors.New("a node of this name runs")
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: spec.Name},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: cloudproviderapi.TaintExternalCloudProvider, Effect: corev1.TaintEffectNoSchedule}}},
	}
	b.edit(node)
	if b.recreates {
		b.api.forget("/nodes/" + spec.Name)
	}
	b.api.register(node)
	b.api.report(spec.Name, corev1.ConditionTrue)
	k := &kubelet{backend: b, name: spec.Name, done: make(chan struct{})}
	b.nodes[spec.Name] = k
	return k, nil
}

func (b *backend) Stop(context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended && b.stopsOnce {
		return errors.New("it was stopped before")
	}
	if b.server != nil {
		b.server.Close()
	}
	b.ended = true
	return nil
}

func (b *backend) Logs(_ context.Context, dir string) error {
	errs := []error{os.MkdirAll(dir, 0o700)}
	for file, text := range b.logs {
		errs = append(errs, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	return errors.Join(errs...)
}

func (b *backend) Capabilities() e2e.Capabilities {
	can := e2e.Capabilities{
		Network: func(context.Context) (e2e.Network, error) {
			return e2e.Network{CIDRs: []string{"10.9.0.0/16"}, Host: "127.0.0.1"}, nil
		},
		Exec: func(_ context.Context, node string, _ io.Reader, _ ...string) ([]byte, error) {
			return nil, b.whenRuns(node, func() {})
		},
		Discard: func(context.Context, string) error { return nil },
		Cut: func(_ context.Context, node string) error {
			return b.whenRuns(node, func() { b.silence(node, "cut") })
		},
		Join: func(_ context.Context, node string) error {
			return b.whenRuns(node, func() { b.api.report(node, corev1.ConditionTrue) })
		},
		RestartAPIServer: func(context.Context) error { return nil },
		Done:             func() <-chan struct{} { return b.lost },
		Err: func() error {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.err
		},
		Factor: func() float64 { return 1 },
	}
	b.can(&can)
	return can
}

// whenRuns does something on a node that runs.
func (b *backend) whenRuns(node string, do func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.nodes[node] == nil {
		return errors.New("no such node")
	}
	do()
	return nil
}

// silence lets the control plane give up a Node, unless its kubelet goes on.
func (b *backend) silence(node, why string) {
	if !b.deaf[why] {
		b.api.report(node, corev1.ConditionUnknown)
	}
}

// lose ends a part of the control plane.
func (b *backend) lose() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = errors.New(b.why)
	close(b.lost)
}

// kubelet is a machine of the backend.
type kubelet struct {
	backend *backend
	name    string
	once    sync.Once
	done    chan struct{}
}

func (k *kubelet) Stop(context.Context) error { return k.end("stop") }
func (k *kubelet) Kill() error                { return k.end("kill") }

func (k *kubelet) end(how string) error {
	k.backend.mu.Lock()
	defer k.backend.mu.Unlock()
	k.once.Do(func() {
		close(k.done)
		k.backend.silence(k.name, how)
		delete(k.backend.nodes, k.name)
	})
	return nil
}

func (k *kubelet) Freeze() error {
	k.backend.silence(k.name, "freeze")
	return nil
}

func (k *kubelet) Thaw() error {
	k.backend.api.report(k.name, corev1.ConditionTrue)
	return nil
}

func (k *kubelet) Done() <-chan struct{} { return k.done }
