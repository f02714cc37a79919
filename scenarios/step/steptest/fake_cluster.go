// Package steptest has a cluster without processes for tests: its cloud is real and in
// this process, its controls note what they are told.
package steptest

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
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// Cluster is a cluster without processes on a real cloud: instances become nodes at once.
type Cluster struct {
	Cloud    *Cloud
	Kube     *dynamicfake.FakeDynamicClient
	Dir      string
	ResetErr error
	StopErr  error
	// Resetting is called in the middle of a reset.
	Resetting func()
	Life      context.Context // nil: for ever
	UID       string          // of nodes, when they all have one
	// Profile, Naming and Capabilities are those of the CCM.
	Profile string
	Naming  observe.Naming
	// ServiceAnnotations are those of the CCM's profile.
	ServiceAnnotations map[string]string
	Capabilities       scenarios.CapabilitySet
	mu                 sync.Mutex
	Did                []string
	Controls
}

// NewCluster makes a cluster with an empty cloud.
func NewCluster(t testing.TB) *Cluster {
	c := &Cluster{Cloud: NewCloud(t), Dir: t.TempDir(), Controls: NewControls()}
	c.empty()
	c.After("CreateInstance", func(args map[string]any) error {
		name := args["name"].(string)
		if hostname, given := args["hostname"].(string); given {
			name = hostname
		}
		return c.node(name)
	})
	return c
}

// After does something at each call of an operation, after it was answered.
func (c *Cluster) After(operation string, do func(args map[string]any) error) {
	answer := c.Cloud.Answer
	c.Cloud.Answer = func(called string, args map[string]any) (any, error) {
		value, err := answer(called, args)
		if called == operation && err == nil {
			err = do(args)
		}
		return value, err
	}
}

// Instead answers an operation in place of the cloud.
func (c *Cluster) Instead(operation string, do func(args map[string]any) (any, error)) {
	answer := c.Cloud.Answer
	c.Cloud.Answer = func(called string, args map[string]any) (any, error) {
		if called == operation {
			return do(args)
		}
		return answer(called, args)
	}
}

// When does something at each call of an operation, before it is answered.
func (c *Cluster) When(operation string, do func()) {
	answer := c.Cloud.Answer
	c.Cloud.Answer = func(called string, args map[string]any) (any, error) {
		if called == operation {
			do()
		}
		return answer(called, args)
	}
}

// empty makes the cluster's API anew, with service accounts for the namespaces to come.
func (c *Cluster) empty() {
	accounts := schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	kinds := map[schema.GroupVersionResource]string{
		observe.EventsGVR: "EventList", {Version: "v1", Resource: "namespaces"}: "NamespaceList", accounts: "ServiceAccountList",
	}
	for _, w := range observe.Watched {
		kinds[w.GVR] = w.Variable + "List"
	}
	c.Kube = dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds)
	for _, name := range []string{"test-one", "test-two", "test-three"} {
		account := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "default", "namespace": name}}}
		_ = c.Kube.Tracker().Create(accounts, account, name)
	}
}

func (c *Cluster) node(name string) error {
	node := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Node",
		"metadata": map[string]any{"name": name, "uid": cmp.Or(c.UID, "uid-"+name)},
		"spec":     map[string]any{"podCIDR": "10.244.0.0/24"},
		"status":   map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}},
	}}
	_, err := c.Kube.Resource(observe.Watched[0].GVR).Create(context.Background(), node, metav1.CreateOptions{})
	return err
}

func (c *Cluster) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Did = append(c.Did, what)
}

// World gives access to the cluster.
func (c *Cluster) World() (step.World, error) {
	mapper := meta.NewDefaultRESTMapper(nil)
	for kind, scope := range map[string]meta.RESTScope{"Node": meta.RESTScopeRoot, "Service": meta.RESTScopeNamespace, "PersistentVolume": meta.RESTScopeRoot} {
		mapper.Add(schema.GroupVersionKind{Version: "v1", Kind: kind}, scope)
	}
	return step.World{
		Cloud: c.Cloud, Kube: dynamic.Interface(c.Kube), Mapper: mapper, CCM: c.CCM, Standby: c.Standby,
		Machines: c.Control, ControlPlane: c.Control, Simulator: c.Control, Harness: IsHarness, Hiding: e2e.LabelControlPlane,
		Pods: c.Pods, Packets: !c.NoPackets, Profile: c.Profile, Naming: c.Naming, ServiceAnnotations: c.ServiceAnnotations, Capabilities: c.Capabilities, TestImage: "testserver:1", Access: step.Access{Kubeconfig: "/kubeconfig"},
	}, nil
}

// Reset empties the cluster and its cloud.
func (c *Cluster) Reset(ctx context.Context) error {
	c.note("reset")
	if c.Resetting != nil {
		c.Resetting()
		return context.Canceled
	}
	if c.ResetErr != nil {
		return c.ResetErr
	}
	c.empty()
	return c.Cloud.Reset(ctx)
}

// CollectLogs writes one log.
func (c *Cluster) CollectLogs(_ context.Context, dir string) error {
	c.note("logs")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "etcd.log"), nil, 0o644)
}

// Done is closed when Life ends.
func (c *Cluster) Done() <-chan struct{} {
	if c.Life == nil {
		return nil
	}
	return c.Life.Done()
}

// Err is why Life ended.
func (c *Cluster) Err() error {
	if c.Life == nil {
		return nil
	}
	return context.Cause(c.Life)
}

func (c *Cluster) CCMLog() string { return filepath.Join(c.Dir, "ccm.log") }

// Stop is noted.
func (c *Cluster) Stop(ctx context.Context) error {
	c.note("stop")
	return errors.Join(c.StopErr, ctx.Err())
}
