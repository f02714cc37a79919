package ccm

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudprovider "k8s.io/cloud-provider"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestInstanceMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	inst := w.state().Instances[0]
	want := &cloudprovider.InstanceMetadata{
		ProviderID:   "simcloud://region-1/i-1",
		InstanceType: "small",
		NodeAddresses: []v1.NodeAddress{
			{Type: v1.NodeInternalIP, Address: inst.Addresses[0].Address},
			{Type: v1.NodeExternalIP, Address: inst.Addresses[1].Address},
		},
		Zone: "zone-a", Region: "region-1",
	}
	for name, node := range map[string]*v1.Node{"by provider id": w.nodes[0], "by name": namedNode("node-1")} {
		got, err := w.cloud.instances.InstanceMetadata(w.ctx(), node)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: error %v, metadata (-want +got):\n%s", name, err, diff)
		}
	}
	if diff := cmp.Diff([]string{"GetInstance", "ListInstances"}, sorted(w.took())); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// Controllers compare with ==, so a wrapped InstanceNotFound would be an opaque error.
func TestGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	if _, err := w.api.DeleteInstance(w.ctx(), "i-1"); err != nil {
		t.Fatal(err)
	}
	i := w.cloud.instances
	for name, node := range map[string]*v1.Node{"by provider id": w.nodes[0], "by name": namedNode("node-1")} {
		if exists, err := i.InstanceExists(w.ctx(), node); exists || err != nil {
			t.Errorf("%s: InstanceExists = %v, %v; want false", name, exists, err)
		}
		if _, err := i.InstanceShutdown(w.ctx(), node); err != cloudprovider.InstanceNotFound { //nolint:errorlint // as controllers do
			t.Errorf("%s: InstanceShutdown: %v, want the bare InstanceNotFound", name, err)
		}
		metadata, err := i.InstanceMetadata(w.ctx(), node)
		if err != cloudprovider.InstanceNotFound || metadata != nil { //nolint:errorlint // as controllers do
			t.Errorf("%s: InstanceMetadata = %v, %v; want the bare InstanceNotFound", name, metadata, err)
		}
	}
}

// Only the cloud's own not_found by id deletes a Node. Every other failure keeps it.
func TestAnErrorNeverMeansGone(t *testing.T) {
	t.Parallel()
	for _, code := range append(simcloud.Codes(), "a_code_from_the_future") {
		for name, node := range map[string]*v1.Node{"by provider id": {}, "by name": namedNode("node-1")} {
			w := newWorld(t, 1)
			if name == "by provider id" {
				node = w.nodes[0]
			}
			w.failing = func(operation string, _ int) failure {
				if operation == "ListRegions" {
					return failure{}
				}
				return failure{err: &simcloud.Error{Code: code}}
			}
			exists, err := w.cloud.instances.InstanceExists(w.ctx(), node)
			gone := !exists && err == nil
			if want := code == simcloud.NotFound && name == "by provider id"; gone != want {
				t.Errorf("%s, %s: InstanceExists = %v, %v", name, code, exists, err)
			}
		}
	}
}

func TestABrokenListProvesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	many := []simcloud.TopologyInstance{{InstanceSpec: simcloud.InstanceSpec{Name: "node"}, Count: simcloud.MaxPageSize + 1}}
	if _, err := w.api.Seed(w.ctx(), simcloud.Topology{Instances: &many}); err != nil {
		t.Fatal(err)
	}
	last := w.boot("last")
	node := namedNode("last")
	got, err := w.cloud.instances.InstanceMetadata(w.ctx(), node)
	if err != nil || got.ProviderID != last.Spec.ProviderID {
		t.Fatalf("on the second page: got %v, %v; want %s", got, err, last.Spec.ProviderID)
	}
	w.took()
	w.failing = func(_ string, n int) failure {
		if n == 2 {
			return failure{err: lost()}
		}
		return failure{}
	}
	if exists, err := w.cloud.instances.InstanceExists(w.ctx(), node); err == nil {
		t.Errorf("InstanceExists = %v without the second page; want an error", exists)
	}
}

func TestForeignNodesAreErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, func(cfg *config.Config) { cfg.Region = "region-1" })
	for _, id := range []string{"kind://docker/kind/node-1", "kubemark://node-1", "simcloud://region-2/i-404", "simcloud://i-1"} {
		node := namedNode("node-1")
		node.Spec.ProviderID = id
		if exists, err := w.cloud.instances.InstanceExists(w.ctx(), node); err == nil {
			t.Errorf("%s: InstanceExists = %v; want an error", id, exists)
		}
		_, err := w.cloud.instances.InstanceMetadata(w.ctx(), node)
		if err == nil || errors.Is(err, cloudprovider.InstanceNotFound) {
			t.Errorf("%s: InstanceMetadata: %v; want an error that is not InstanceNotFound", id, err)
		}
	}
	if calls := w.took(); len(calls) > 0 {
		t.Errorf("calls: %v", calls)
	}
}

// A Node may register before the cloud shows its instance. The controllers
// would delete it at once.
func TestANewNodeIsGivenTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	tainted := namedNode("node-2")
	tainted.Spec.ProviderID = "simcloud://region-1/i-404"
	tainted.Spec.Taints = []v1.Taint{{Key: cloudproviderapi.TaintExternalCloudProvider}}
	initialized := namedNode("node-3")
	initialized.Spec.ProviderID = "simcloud://region-1/i-404"
	for _, c := range []struct {
		name string
		node *v1.Node
		age  time.Duration
		gone bool
	}{
		{"new, without provider id", namedNode("node-1"), 59 * time.Second, false},
		{"old, without provider id", namedNode("node-1"), 61 * time.Second, true},
		{"new, with the taint", tainted, 59 * time.Second, false},
		{"old, with the taint", tainted, 61 * time.Second, true},
		{"new and initialised", initialized, time.Second, true},
	} {
		c.node.CreationTimestamp = metav1.NewTime(w.now.Add(-c.age))
		exists, err := w.cloud.instances.InstanceExists(w.ctx(), c.node)
		if gone := !exists && err == nil; gone != c.gone {
			t.Errorf("%s: InstanceExists = %v, %v; want gone %v", c.name, exists, err, c.gone)
		}
	}
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	for _, step := range []struct {
		name string
		do   func() error
		want bool
	}{
		{"running", func() error { return nil }, false},
		{"stopped", func() error { _, err := w.api.StopInstance(w.ctx(), "i-1"); return err }, true},
		{"started", func() error { _, err := w.api.StartInstance(w.ctx(), "i-1"); return err }, false},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		got, err := w.cloud.instances.InstanceShutdown(w.ctx(), w.nodes[0])
		exists, existsErr := w.cloud.instances.InstanceExists(w.ctx(), w.nodes[0])
		if got != step.want || err != nil || !exists || existsErr != nil {
			t.Errorf("%s: shutdown %v, %v; exists %v, %v", step.name, got, err, exists, existsErr)
		}
	}
}
