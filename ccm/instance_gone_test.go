package ccm

import (
	"errors"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// The controllers delete by name, and go through Nodes as they were a while ago.
// What is gone with a former Node must not delete the one that has its name now.
func TestASuccessorIsNotDeletedForItsPredecessor(t *testing.T) {
	t.Parallel()
	former := nodeOf("node-1", "simcloud://region-1/i-99")
	former.UID = "former"
	for name, c := range map[string]struct {
		now  []*v1.Node
		gone bool
	}{
		"the same Node": {[]*v1.Node{former}, true},
		"a successor":   {[]*v1.Node{unnamed("node-1", "successor")}, false},
		"none":          {nil, false},
	} {
		w := newWorld(t, 0)
		w.know(c.now...)
		exists, err := w.cloud.instances.InstanceExists(w.ctx(), former)
		if exists || (err == nil) != c.gone {
			t.Errorf("%s: InstanceExists = %v, %v; want gone %v", name, exists, err, c.gone)
		}
	}
}

// For a Node without a provider id, upstream asks the older interface by the one
// that InstanceID has answered. That may be a predecessor's, which is gone by now.
func TestInstancesV1GivesASuccessorTime(t *testing.T) {
	t.Parallel()
	w, i := newOldWorld(t, 1)
	successor := unnamed("node-1", "successor")
	successor.CreationTimestamp = metav1.NewTime(w.now)
	w.know(successor)
	id, err := cloudprovider.GetInstanceProviderID(w.ctx(), w.cloud, "node-1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.api.DeleteInstance(w.ctx(), "i-1"); err != nil {
		t.Fatal(err)
	}
	if exists, err := i.InstanceExistsByProviderID(w.ctx(), id); err == nil {
		t.Errorf("InstanceExistsByProviderID = %v; want an error, because no Node has the id", exists)
	}
	if _, err := i.InstanceID(w.ctx(), "unknown"); err == nil || errors.Is(err, cloudprovider.InstanceNotFound) {
		t.Errorf("InstanceID of a Node that is not there: %v; want an error that is not InstanceNotFound", err)
	}
}

// A provider id is for ever. What has the name and is being deleted may be the
// predecessor of an instance that the cloud does not show yet.
func TestAnInstanceThatGoesInitialisesNoNode(t *testing.T) {
	t.Parallel()
	w, i := newOldWorld(t, 1)
	slow := simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Hour)}
	if _, err := w.api.UpdateConfig(w.ctx(), simcloud.ConfigUpdate{Progression: &slow}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.api.DeleteInstance(w.ctx(), "i-1"); err != nil {
		t.Fatal(err)
	}
	node := unnamed("node-1", "successor")
	w.know(node)
	if metadata, err := w.cloud.instances.InstanceMetadata(w.ctx(), node); err == nil || metadata != nil {
		t.Errorf("InstanceMetadata = %v, %v; want an error", metadata, err)
	}
	if id, err := i.InstanceID(w.ctx(), "node-1"); err == nil || errors.Is(err, cloudprovider.InstanceNotFound) {
		t.Errorf("InstanceID = %q, %v; want an error that is not InstanceNotFound", id, err)
	}
	if exists, err := w.cloud.instances.InstanceExists(w.ctx(), node); !exists || err != nil {
		t.Errorf("InstanceExists = %v, %v; want true until it is gone", exists, err)
	}
	if metadata, err := w.cloud.instances.InstanceMetadata(w.ctx(), w.nodes[0]); err != nil {
		t.Errorf("by its own provider id: %v, %v", metadata, err)
	}
}

// In another project, or when it is not known whose the token is, no instance of ours is to be seen.
func TestAnotherProjectsTokenDeletesNoNode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		project simcloud.ID
		failing bool
		gone    bool
	}{{"", false, true}, {"default", false, true}, {"default", true, false}, {"other", false, false}} {
		w := newWorld(t, 1, func(cfg *config.Config) { cfg.Project = c.project })
		w.failing = func(operation string, _ int) failure {
			if c.failing && operation == "ListNetworks" {
				return failure{err: &simcloud.Error{Code: simcloud.NotFound}}
			}
			return failure{}
		}
		for _, node := range []*v1.Node{nodeOf("gone", "simcloud://region-1/i-99"), namedNode("gone")} {
			exists, err := w.cloud.instances.InstanceExists(w.ctx(), node)
			if exists || (err == nil) != c.gone {
				t.Errorf("project %q, failing %v, %q: InstanceExists = %v, %v; want gone %v", c.project, c.failing, node.Spec.ProviderID, exists, err, c.gone)
			}
		}
	}
}
