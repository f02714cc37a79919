package ccm

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudprovider "k8s.io/cloud-provider"
	cloudproviderapi "k8s.io/cloud-provider/api"

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
	w := newWorld(t, 1, func(cfg *Config) { cfg.Region = "region-1" })
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

func TestMatchName(t *testing.T) {
	t.Parallel()
	inst := func(id, name, hostname string) simcloud.Instance {
		return simcloud.Instance{Meta: simcloud.Meta{ID: simcloud.ID(id), Name: name}, Hostname: hostname, State: simcloud.InstanceRunning}
	}
	dying := func(i simcloud.Instance) simcloud.Instance {
		i.State = simcloud.InstanceTerminating
		return i
	}
	for _, c := range []struct {
		name, node string
		all        []simcloud.Instance
		want       string // an id, or "gone", or "error"
	}{
		{"hostname", "web", []simcloud.Instance{inst("i-1", "x", "db"), inst("i-2", "y", "web")}, "i-2"},
		{"hostname before name", "web", []simcloud.Instance{inst("i-1", "web", "db"), inst("i-2", "db", "web")}, "i-2"},
		{"name", "web", []simcloud.Instance{inst("i-1", "web", "ip-10-0-0-1")}, "i-1"},
		{"case", "web", []simcloud.Instance{inst("i-1", "x", "Web")}, "i-1"},
		{"exact before case", "web", []simcloud.Instance{inst("i-1", "x", "WEB"), inst("i-2", "y", "web")}, "i-2"},
		{"two with one hostname", "web", []simcloud.Instance{inst("i-1", "x", "web"), inst("i-2", "y", "web")}, "error"},
		{"two that differ in case", "web", []simcloud.Instance{inst("i-1", "x", "Web"), inst("i-2", "y", "WEB")}, "error"},
		{"full name of the instance", "web", []simcloud.Instance{inst("i-1", "x", "web.example.org")}, "i-1"},
		{"full name of the node", "web.example.org", []simcloud.Instance{inst("i-1", "x", "web")}, "i-1"},
		{"another domain", "web.example.org", []simcloud.Instance{inst("i-1", "x", "web.example.com")}, "gone"},
		{"two domains", "web", []simcloud.Instance{inst("i-1", "x", "web.a"), inst("i-2", "y", "web.b")}, "error"},
		{"none", "web", []simcloud.Instance{inst("i-1", "x", "web-2")}, "gone"},
		{"the successor of one that goes", "web", []simcloud.Instance{dying(inst("i-1", "x", "web")), inst("i-2", "y", "web")}, "i-2"},
		{"one that goes is still there", "web", []simcloud.Instance{dying(inst("i-1", "x", "web"))}, "i-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found, err := matchName(c.node, c.all)
			got := string(found.ID)
			switch {
			case isGone(err):
				got = "gone"
			case err != nil:
				got = "error"
			}
			if got != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
}

// oneInstance answers every question with the same instance.
type oneInstance struct {
	instanceAPI
	inst simcloud.Instance
}

func (o oneInstance) GetInstance(context.Context, simcloud.ID) (simcloud.Instance, error) {
	return o.inst, nil
}

// The controller unties the taint with whatever it gets, and does not come back for more.
func TestIncompleteAnswersAreErrors(t *testing.T) {
	t.Parallel()
	node := namedNode("node-1")
	node.Spec.ProviderID = "simcloud://region-1/i-1"
	whole := simcloud.Instance{
		Meta: simcloud.Meta{ID: "i-1"}, Type: "small", Zone: "zone-a", Region: "region-1",
		Addresses: []simcloud.Address{{Scope: simcloud.ScopePrivate, Address: "10.0.0.2"}},
	}
	for name, breakIt := range map[string]func(*simcloud.Instance){
		"no addresses":     func(inst *simcloud.Instance) { inst.Addresses = nil },
		"no type":          func(inst *simcloud.Instance) { inst.Type = "" },
		"no zone":          func(inst *simcloud.Instance) { inst.Zone = "" },
		"another instance": func(inst *simcloud.Instance) { inst.ID = "i-2" },
		"another region":   func(inst *simcloud.Instance) { inst.Region = "region-2" },
		"nothing at all":   func(inst *simcloud.Instance) { *inst = simcloud.Instance{} },
	} {
		inst := whole
		breakIt(&inst)
		i := &instances{lookups: newLookups(oneInstance{inst: inst}, 0, time.Now, &nodeCache{}), regions: &regions{}, now: time.Now}
		metadata, err := i.InstanceMetadata(t.Context(), node)
		if err == nil || metadata != nil || errors.Is(err, cloudprovider.InstanceNotFound) {
			t.Errorf("%s: got %v, %v; want an error that is not InstanceNotFound", name, metadata, err)
		}
	}
}
