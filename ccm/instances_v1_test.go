package ccm

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudprovider "k8s.io/cloud-provider"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/node"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func newOldWorld(t *testing.T, nodes int) (*world, *node.InstancesV1) {
	t.Helper()
	w := newWorld(t, nodes, func(cfg *config.Config) { cfg.InstancesV1 = true })
	return w, w.cloud.old
}

// The controllers take InstancesV2 whenever it is there, so that only one of both may be.
func TestWhichInterfaceIsThere(t *testing.T) {
	t.Parallel()
	for _, old := range []bool{false, true} {
		w := newWorld(t, 0, func(cfg *config.Config) { cfg.InstancesV1 = old })
		_, v2 := w.cloud.InstancesV2()
		_, v1 := w.cloud.Instances()
		_, zones := w.cloud.Zones()
		if v2 == old || v1 != old || zones != old {
			t.Errorf("instancesV1 %v: InstancesV2 %v, Instances %v, Zones %v", old, v2, v1, zones)
		}
	}
}

// TestInstancesV1 asks the questions that the controller asks of a new Node.
func TestInstancesV1(t *testing.T) {
	t.Parallel()
	w, i := newOldWorld(t, 1)
	w.know(namedNode("node-1"))
	id, err := cloudprovider.GetInstanceProviderID(w.ctx(), w.cloud, "node-1")
	if err != nil || id != w.nodes[0].Spec.ProviderID {
		t.Fatalf("provider id %q, %v; want %s", id, err, w.nodes[0].Spec.ProviderID)
	}
	want, err := w.cloud.instances.InstanceMetadata(w.ctx(), w.nodes[0])
	if err != nil {
		t.Fatal(err)
	}
	got := &cloudprovider.InstanceMetadata{ProviderID: id}
	byName := &cloudprovider.InstanceMetadata{ProviderID: id}
	zone, errZone := i.GetZoneByProviderID(w.ctx(), id)
	zoneByName, errZoneByName := i.GetZoneByNodeName(w.ctx(), "node-1")
	var errs [4]error
	got.NodeAddresses, errs[0] = i.NodeAddressesByProviderID(w.ctx(), id)
	got.InstanceType, errs[1] = i.InstanceTypeByProviderID(w.ctx(), id)
	byName.NodeAddresses, errs[2] = i.NodeAddresses(w.ctx(), "node-1")
	byName.InstanceType, errs[3] = i.InstanceType(w.ctx(), "node-1")
	if err := errors.Join(append(errs[:], errZone, errZoneByName)...); err != nil {
		t.Fatal(err)
	}
	got.Zone, got.Region = zone.FailureDomain, zone.Region
	byName.Zone, byName.Region = zoneByName.FailureDomain, zoneByName.Region
	for how, answer := range map[string]*cloudprovider.InstanceMetadata{"provider id": got, "name": byName} {
		if diff := cmp.Diff(want, answer); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", how, diff)
		}
	}
}

// Whatever is asked of an instance that is gone, the answer is the one that controllers know.
func TestInstancesV1Gone(t *testing.T) {
	t.Parallel()
	w, i := newOldWorld(t, 1)
	w.know(w.nodes[0], namedNode("other"))
	id := w.nodes[0].Spec.ProviderID
	if exists, err := i.InstanceExistsByProviderID(w.ctx(), id); !exists || err != nil {
		t.Errorf("InstanceExistsByProviderID = %v, %v; want true", exists, err)
	}
	if _, err := w.api.StopInstance(w.ctx(), "i-1"); err != nil {
		t.Fatal(err)
	}
	if down, err := i.InstanceShutdownByProviderID(w.ctx(), id); !down || err != nil {
		t.Errorf("InstanceShutdownByProviderID = %v, %v; want true", down, err)
	}
	if _, err := w.api.DeleteInstance(w.ctx(), "i-1"); err != nil {
		t.Fatal(err)
	}
	if exists, err := i.InstanceExistsByProviderID(w.ctx(), id); exists || err != nil {
		t.Errorf("InstanceExistsByProviderID = %v, %v; want false", exists, err)
	}
	for name, ask := range map[string]func() error{
		"InstanceShutdownByProviderID": func() error { _, err := i.InstanceShutdownByProviderID(w.ctx(), id); return err },
		"NodeAddressesByProviderID":    func() error { _, err := i.NodeAddressesByProviderID(w.ctx(), id); return err },
		"InstanceTypeByProviderID":     func() error { _, err := i.InstanceTypeByProviderID(w.ctx(), id); return err },
		"GetZoneByProviderID":          func() error { _, err := i.GetZoneByProviderID(w.ctx(), id); return err },
		"InstanceID":                   func() error { _, err := i.InstanceID(w.ctx(), "other"); return err },
	} {
		if err := ask(); err != cloudprovider.InstanceNotFound { //nolint:errorlint // as controllers do
			t.Errorf("%s: %v, want the bare InstanceNotFound", name, err)
		}
	}
}

// Upstream deletes a Node whose name it cannot find. A new one is given time.
func TestInstancesV1GivesANewNodeTime(t *testing.T) {
	t.Parallel()
	w, i := newOldWorld(t, 0)
	tainted := nodeOf("node-2", "simcloud://region-1/i-404")
	tainted.Spec.Taints = []v1.Taint{{Key: cloudproviderapi.TaintExternalCloudProvider}}
	for age, gone := range map[time.Duration]bool{59 * time.Second: false, 61 * time.Second: true} {
		named := namedNode("node-1")
		for _, node := range []*v1.Node{named, tainted} {
			node.CreationTimestamp = metav1.NewTime(w.now.Add(-age))
		}
		w.know(named, tainted)
		if _, err := i.InstanceID(w.ctx(), "node-1"); errors.Is(err, cloudprovider.InstanceNotFound) != gone || err == nil {
			t.Errorf("%s old, by name: %v; want gone %v", age, err, gone)
		}
		if exists, err := i.InstanceExistsByProviderID(w.ctx(), tainted.Spec.ProviderID); exists || (err == nil) != gone {
			t.Errorf("%s old, by provider id: %v, %v; want gone %v", age, exists, err, gone)
		}
	}
}

// After an error by provider id the controllers ask by name. An instance that
// has the name of another provider's Node is not that Node's.
func TestInstancesV1LeavesForeignNodesAlone(t *testing.T) {
	t.Parallel()
	w, i := newOldWorld(t, 1)
	w.know(nodeOf("node-1", "kind://docker/kind/node-1"))
	for name, ask := range map[string]func() error{
		"NodeAddresses":              func() error { _, err := i.NodeAddresses(w.ctx(), "node-1"); return err },
		"InstanceType":               func() error { _, err := i.InstanceType(w.ctx(), "node-1"); return err },
		"InstanceID":                 func() error { _, err := i.InstanceID(w.ctx(), "node-1"); return err },
		"GetZoneByNodeName":          func() error { _, err := i.GetZoneByNodeName(w.ctx(), "node-1"); return err },
		"InstanceExistsByProviderID": func() error { _, err := i.InstanceExistsByProviderID(w.ctx(), "kind://x/y"); return err },
		"without a provider id":      func() error { _, err := i.NodeAddressesByProviderID(w.ctx(), ""); return err },
	} {
		if err := ask(); err == nil || errors.Is(err, cloudprovider.InstanceNotFound) {
			t.Errorf("%s: %v; want an error that is not InstanceNotFound", name, err)
		}
	}
}

func TestWhereTheProviderRuns(t *testing.T) {
	t.Parallel()
	w, i := newOldWorld(t, 1)
	for host, want := range map[string]string{"node-1": "zone-a", "laptop": ""} {
		i.Hostname = func() (string, error) { return host, nil }
		if zone, err := i.GetZone(w.ctx()); zone.FailureDomain != want || (err == nil) != (want != "") {
			t.Errorf("on %s: zone %v, %v; want %q", host, zone, err, want)
		}
	}
	if name, err := i.CurrentNodeName(w.ctx(), "node-7"); name != "node-7" || err != nil {
		t.Errorf("CurrentNodeName = %q, %v", name, err)
	}
}

// A key is added to the project once, and to all instances, also to those that came since.
func TestAddSSHKeyToAllInstances(t *testing.T) {
	t.Parallel()
	const line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjkxFNOtGrLO9lI1KU9m admin@example.org"
	w, i := newOldWorld(t, 2)
	for range 2 {
		if err := i.AddSSHKeyToAllInstances(w.ctx(), "admin", []byte(line+"\n")); err != nil {
			t.Fatal(err)
		}
		w.boot("node-late")
	}
	state := w.state()
	if len(state.SSHKeys) != 1 || state.SSHKeys[0].Name != "admin" {
		t.Fatalf("keys %v, want one of admin", state.SSHKeys)
	}
	for _, inst := range state.Instances[:3] {
		if len(inst.SSHKeys) != 1 {
			t.Errorf("instance %s has the keys %v, want one", inst.ID, inst.SSHKeys)
		}
	}
	if err := i.AddSSHKeyToAllInstances(w.ctx(), "admin", []byte("secret")); err == nil || !strings.Contains(err.Error(), "ssh-keygen") {
		t.Errorf("no key: %v", err)
	}
}

func TestClusters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	for name, endpoint := range map[string]string{"blue": "https://10.0.0.1:6443", "green": "https://k8s.example.org"} {
		if _, err := w.api.CreateCluster(w.ctx(), simcloud.ClusterSpec{Name: name, Endpoint: endpoint}); err != nil {
			t.Fatal(err)
		}
	}
	clusters, _ := w.cloud.Clusters()
	names, err := clusters.ListClusters(w.ctx())
	if diff := cmp.Diff([]string{"blue", "green"}, sorted(names)); err != nil || diff != "" {
		t.Errorf("error %v, names (-want +got):\n%s", err, diff)
	}
	for name, want := range map[string]string{"blue": "10.0.0.1", "green": "k8s.example.org", "red": "", "": ""} {
		if host, err := clusters.Master(w.ctx(), name); host != want || (err == nil) != (want != "") {
			t.Errorf("Master(%q) = %q, %v; want %q", name, host, err, want)
		}
	}
}

// TestAdditionalLabelsReachTheNode: the metadata has the labels of the instance that its Node gets.
func TestAdditionalLabelsReachTheNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	spec := simcloud.InstanceSpec{Name: "node-1", Labels: map[string]string{"node.simcloud.dev/tier": "gold"}}
	if _, err := w.api.CreateInstance(w.ctx(), spec); err != nil {
		t.Fatal(err)
	}
	metadata, err := w.cloud.instances.InstanceMetadata(w.ctx(), namedNode("node-1"))
	if err != nil || metadata.AdditionalLabels["node.simcloud.dev/tier"] != "gold" {
		t.Errorf("got %v, %v; want the label of the instance", metadata, err)
	}
}
