package scenarios

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// fakeCluster is a cluster without processes on a real cloud: instances become nodes at once.
type fakeCluster struct {
	cloud    *testCloud
	kube     *dynamicfake.FakeDynamicClient
	dir      string
	resetErr error
	stopErr  error
	// resetting is called in the middle of a reset.
	resetting func()
	alive     context.Context // nil: for ever
	uid       string          // of nodes, when they all have one
	mu        sync.Mutex
	did       []string
	fakeControls
}

func newFakeCluster(t testing.TB) *fakeCluster {
	c := &fakeCluster{cloud: newTestCloud(t), dir: t.TempDir(), fakeControls: newFakeControls()}
	c.empty()
	c.after("CreateInstance", func(args map[string]any) error { return c.node(args["name"].(string)) })
	return c
}

// after does something at each call of an operation, after it was answered.
func (c *fakeCluster) after(operation string, do func(args map[string]any) error) {
	answer := c.cloud.answer
	c.cloud.answer = func(called string, args map[string]any) (any, error) {
		value, err := answer(called, args)
		if called == operation && err == nil {
			err = do(args)
		}
		return value, err
	}
}

// instead answers an operation in place of the cloud.
func (c *fakeCluster) instead(operation string, do func(args map[string]any) (any, error)) {
	answer := c.cloud.answer
	c.cloud.answer = func(called string, args map[string]any) (any, error) {
		if called == operation {
			return do(args)
		}
		return answer(called, args)
	}
}

// when does something at each call of an operation, before it is answered.
func (c *fakeCluster) when(operation string, do func()) {
	answer := c.cloud.answer
	c.cloud.answer = func(called string, args map[string]any) (any, error) {
		if called == operation {
			do()
		}
		return answer(called, args)
	}
}

// empty makes the cluster's API anew, with service accounts for the namespaces to come.
func (c *fakeCluster) empty() {
	accounts := schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	kinds := map[schema.GroupVersionResource]string{
		observe.EventsGVR: "EventList", {Version: "v1", Resource: "namespaces"}: "NamespaceList", accounts: "ServiceAccountList",
	}
	for _, w := range observe.Watched {
		kinds[w.GVR] = w.Variable + "List"
	}
	c.kube = dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds)
	for _, name := range []string{"test-one", "test-two", "test-three"} {
		account := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "default", "namespace": name}}}
		_ = c.kube.Tracker().Create(accounts, account, name)
	}
}

func (c *fakeCluster) node(name string) error {
	node := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Node",
		"metadata": map[string]any{"name": name, "uid": cmp.Or(c.uid, "uid-"+name)},
		"spec":     map[string]any{"podCIDR": "10.244.0.0/24"},
		"status":   map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}},
	}}
	_, err := c.kube.Resource(observe.Watched[0].GVR).Create(context.Background(), node, metav1.CreateOptions{})
	return err
}

func (c *fakeCluster) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.did = append(c.did, what)
}

func (c *fakeCluster) World() (World, error) {
	mapper := meta.NewDefaultRESTMapper(nil)
	for kind, scope := range map[string]meta.RESTScope{"Node": meta.RESTScopeRoot, "Service": meta.RESTScopeNamespace, "PersistentVolume": meta.RESTScopeRoot} {
		mapper.Add(schema.GroupVersionKind{Version: "v1", Kind: kind}, scope)
	}
	return World{
		Cloud: c.cloud, Kube: dynamic.Interface(c.kube), Mapper: mapper, CCM: c.ccm, Standby: c.standby,
		Machines: c.controls, ControlPlane: c.controls, Simulator: c.controls, Harness: isHarness, Hiding: e2e.LabelControlPlane,
		Pods: c.pods, Packets: !c.noPackets, TestImage: "testserver:1", Access: Access{Kubeconfig: "/kubeconfig"},
	}, nil
}

func (c *fakeCluster) Reset(ctx context.Context) error {
	c.note("reset")
	if c.resetting != nil {
		c.resetting()
		return context.Canceled
	}
	if c.resetErr != nil {
		return c.resetErr
	}
	c.empty()
	return c.cloud.Reset(ctx)
}

func (c *fakeCluster) CollectLogs(_ context.Context, dir string) error {
	c.note("logs")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "etcd.log"), nil, 0o644)
}

// Alive ends with lose.
func (c *fakeCluster) Alive() context.Context {
	if c.alive == nil {
		return context.Background()
	}
	return c.alive
}

func (c *fakeCluster) CCMLog() string { return filepath.Join(c.dir, "ccm.log") }

func (c *fakeCluster) Stop(ctx context.Context) error {
	c.note("stop")
	return errors.Join(c.stopErr, ctx.Err())
}
